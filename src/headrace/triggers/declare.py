"""Declare: from the triggers that code declares to those that the database knows.

Trigger by trigger and setting by setting: one that still is as code declared it last follows the code, one that an
operator changed stays, unless forced.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.payload.stored_json import Unreadable, read_object
from headrace.model.settings.trigger import RULE_COLUMNS, TriggerSettings
from headrace.model.trigger.declaration import TriggerDeclaration

SQL = statements(__file__)
LEFT = "the trigger was deleted from code"


@dataclass(frozen=True, slots=True)
class TriggerReport:
    """What a sync of triggers changed, and whose names were taken by somebody else's."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted_from_code: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.deleted_from_code or self.taken)


async def sync_triggers(
    conn: Connection,
    declared: Mapping[str, Sequence[TriggerDeclaration]],
    *,
    app: str,
    force: bool = False,
    complete: bool = True,
    kept: Collection[str] = (),
) -> TriggerReport:
    """Make the default tenant's triggers follow what was declared, by the key of their definition.

    Those of definitions that were `kept` have not left the code either.
    """
    report = TriggerReport()
    wanted = {one.name: (key, one) for key, many in sorted(declared.items()) for one in many}
    async with conn.transaction():
        known = {row["name"]: row for row in await conn.fetch(SQL["lock_declared"], app, list(wanted))}
        for name, (key, one) in wanted.items():
            row = known.get(name)
            if row is None:
                everything = TriggerSettings().model_dump() | one.settings
                await conn.execute(SQL["add_declared"], key, name, app, _json(everything), _json(one.settings))
                report.added.append(name)
            elif row["declared"] is None:
                report.taken.append(name)
            elif await _follow(conn, row, key, one, app=app, force=force):
                report.changed.append(name)
        if complete:
            ours = {name: row["definition"] for name, row in known.items() if row["app"] == app}
            gone = [name for name, key in ours.items() if name not in wanted and key not in kept]
            marked = await conn.fetch(SQL["mark_deleted_from_code"], app, gone, LEFT) if gone else []
            report.deleted_from_code.extend(row["name"] for row in marked)
    return report


async def retire_triggers(conn: Connection, definitions: Sequence[str], *, app: str) -> list[str]:
    """Mark the triggers that code declared for definitions that have left it; gives back their names."""
    names = [row["name"] for row in await conn.fetch(SQL["lock_of_definitions"], app, definitions)]
    return [row["name"] for row in await conn.fetch(SQL["mark_deleted_from_code"], app, names, LEFT)]


async def _follow(conn: Connection, row: Any, key: str, one: TriggerDeclaration, *, app: str, force: bool) -> bool:
    """Change what code changed; whether there was anything."""
    current = {**read_object(row["settings"]), "payload": read_object(row["payload"])}
    before = read_object(row["declared"])
    theirs = set() if force or isinstance(before, Unreadable) else overridden(before, current)
    changes = {column: value for column, value in one.settings.items() if column not in theirs}
    is_back = row["deleted_from_code_at"] is not None
    is_same = row["app"] == app and row["definition"] == key and before == one.settings and not is_back
    # What left the code and came back is turned on again; what an operator turned off stays off.
    turn_on = not current["enabled"] and (force or (is_back and current["pause_note"] == LEFT))
    if is_same and not turn_on and all(current[column] == value for column, value in changes.items()):
        return False
    await conn.execute(SQL["follow_code"], row["id"], key, app, _json(changes), _json(one.settings), turn_on)
    return True


def overridden(declared: Mapping[str, Any], current: Mapping[str, Any]) -> set[str]:
    """The settings that an operator changed, those of the rule all or none."""
    changed = {column for column, value in declared.items() if current[column] != value}
    return changed | (set(RULE_COLUMNS) if changed & set(RULE_COLUMNS) else set())


def differences(declared: Mapping[str, Any] | None, current: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Settings that an operator changed: what code says, and what holds."""
    if isinstance(declared, Unreadable):
        return {}
    return {column: (value, current[column]) for column, value in (declared or {}).items() if current[column] != value}


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), default=str)
