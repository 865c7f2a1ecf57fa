"""Sync: from what code declares to what the database knows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import Conflict
from headrace.model.definition import Definition

SQL = statements(__file__)

WAYS_OUT = {
    "sql": "choose another key, or take that one away first: select headrace.undefine_sql_job('{key}')",
    "command": "choose another key, or take [commands.{key}] out of every worker's headrace.toml and then say "
    "headrace definitions sync --force",
    "python": "choose another key, or remove the job from the code of that app and sync it first",
}


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync changed."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted_from_code: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.deleted_from_code)


async def sync_definitions(
    conn: Connection,
    definitions: Iterable[Definition],
    *,
    app: str,
    force: bool = False,
    complete: bool = True,
) -> SyncReport:
    """Add what is new, follow what changed, mark what left the code. An operator's changes stay unless forced.

    A process that imported only some of an app's modules is not `complete`: what it lacks has not left the code.
    """
    report = SyncReport()
    # In order of their keys, as everyone does.
    ordered = sorted(definitions, key=lambda definition: definition.key)
    async with conn.transaction():
        await conn.execute(SQL["take_turn"])
        for definition in ordered:
            row = await conn.fetchrow(SQL["sync_definition"], *_columns(definition, app, force))
            if row is not None:
                (report.added if row["inserted"] else report.changed).append(definition.key)
        keys = [definition.key for definition in ordered]
        taken = await conn.fetchrow(SQL["find_conflict"], keys, [definition.kind for definition in ordered])
        if taken is not None:
            raise _conflict(**taken)
        if complete:
            gone = await conn.fetch(SQL["mark_deleted_from_code"], app, keys)
            report.deleted_from_code.extend(row[0] for row in gone)
        await conn.execute(SQL["ensure_lanes"], keys)
    return report


def _conflict(key: str, kind: str, app: str) -> Conflict:
    name = {"sql": "SQL job", "python": "Python job"}.get(kind, kind)
    return Conflict(f"definition {key!r} is a {name} of app {app!r} already: {WAYS_OUT[kind].format(key=key)}")


def _columns(definition: Definition, app: str, force: bool) -> tuple[object, ...]:
    return (
        definition.key,
        definition.kind,
        app,
        definition.description,
        list(definition.tags),
        json.dumps(definition.payload_schema),
        json.dumps([asdict(trigger) for trigger in definition.triggers]),
        definition.hash,
        force,
        json.dumps(definition.settings),
    )
