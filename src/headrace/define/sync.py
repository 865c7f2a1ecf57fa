"""Sync: from what code declares to what the database knows."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta

from headrace.db.connect import Connection
from headrace.db.database import Database
from headrace.db.statements import statements
from headrace.errors import Conflict
from headrace.model.definition import Definition

SQL = statements(__file__)

WAYS_OUT = {
    "sql": "choose another key, or remove that definition first: select headrace.undefine_sql_job('{key}')",
    "command": "choose another key, or remove [commands.{key}] from every worker's headrace.toml and then run "
    "headrace definitions sync --force",
    "python": "choose another key, or remove the job from the code of that app and sync it first",
}
# Of an app that nobody named. Any number of services may have no name.
UNNAMED = "default"
# After the name of the app whose processes registered a job while they ran.
AT_RUN_TIME = " at run time"


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync changed; and what is not in this code and stays all the same, because others may have it."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted_from_code: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.deleted_from_code)


async def sync_definitions(
    conn: Connection,
    definitions: Iterable[Definition],
    *,
    app: str,
    force: bool = False,
    complete: bool = True,
    alone: bool = True,
    take_from: str | None = None,
) -> SyncReport:
    """Add what is new, follow what changed, mark what left the code. An operator's changes stay unless forced.

    A process that imported only some of an app's modules is not `complete`: what it lacks has not left the code.
    Nor has what a live worker serves, or anything of an app that is not `alone` in having its name.
    A key that another app declares is a `Conflict`, unless it is taken from that app on purpose.
    """
    report = SyncReport()
    # In order of their keys, as everyone does.
    ordered = sorted(definitions, key=lambda definition: definition.key)
    async with conn.transaction():
        await conn.execute(SQL["take_turn"])
        for definition in ordered:
            columns = _columns(definition, app, force)
            row = await conn.fetchrow(SQL["sync_definition"], *columns, take_from, definition.system)
            if row is not None:
                (report.added if row["inserted"] else report.changed).append(definition.key)
        keys = [definition.key for definition in ordered]
        taken = await conn.fetchrow(SQL["find_conflict"], keys, [definition.kind for definition in ordered], app)
        if taken is not None:
            raise _other_kind(**taken) if taken["other_kind"] else _other_app(app, **taken)
        if complete:
            report.kept.extend(row[0] for row in await conn.fetch(SQL["list_served"], app, keys, alone))
            gone = await conn.fetch(SQL["mark_deleted_from_code"], app, [*keys, *report.kept])
            report.deleted_from_code.extend(row[0] for row in gone)
        await conn.execute(SQL["ensure_lanes"], keys)
    return report


async def list_servers(conn: Connection, keys: Sequence[str]) -> dict[str, list[str]]:
    """Of these definitions those that live workers serve, and the names of these."""
    return {row["key"]: row["workers"] for row in await conn.fetch(SQL["list_servers"], keys)} if keys else {}


async def retire_definitions(conn: Connection, keys: Sequence[str], *, app: str, unserved_for: timedelta) -> list[str]:
    """Mark those of these that no worker has served for a while; gives back their keys."""
    await conn.execute(SQL["take_turn"])
    return [row[0] for row in await conn.fetch(SQL["retire_definitions"], app, keys, unserved_for)]


def _other_kind(key: str, kind: str, app: str, **_: object) -> Conflict:
    name = {"sql": "SQL job", "python": "Python job"}.get(kind, kind)
    return Conflict(f"definition {key!r} is a {name} of app {app!r} already: {WAYS_OUT[kind].format(key=key)}")


def _other_app(mine: str, key: str, app: str, others: int, workers: Sequence[str], **_: object) -> Conflict:
    more = f" (and {others} more of its jobs)" if others else ""
    served = f", served by {', '.join(workers)}" if workers else ""
    wait = f" stop {'that worker' if len(workers) == 1 else 'those workers'} first, or" if workers else ""
    return Conflict(
        f"definition {key!r}{more} is a job of app {app!r} already{served}, and this is app {mine!r}: "
        "a key has one app. Choose another key. If both are one service, give both one name: app in headrace.toml, "
        f"HEADRACE_APP or Headrace(app=…). If the job has moved here,{wait} say: "
        f"headrace definitions sync MODULE:NAME --take-from {shlex.quote(app)}"
    )


def _columns(definition: Definition, app: str, force: bool) -> tuple[object, ...]:
    return (
        definition.key,
        definition.kind,
        app,
        definition.settings.description,
        list(definition.settings.tags),
        json.dumps(definition.payload_schema),
        json.dumps([asdict(trigger) for trigger in definition.triggers]),
        definition.hash,
        force,
        json.dumps(definition.declared),
        definition.schema_version,
    )


def is_alone(database: Database, app: str) -> bool:
    """Whether what has this name is this app's: on a database that others may share, who has no name cannot tell."""
    return app != UNNAMED or database.embedded is not None
