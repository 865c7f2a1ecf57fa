"""Read: definitions as the database knows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import NotFound
from headrace.model.definition import Kind
from headrace.model.pause import Pause
from headrace.model.payload.stored_json import read_object
from headrace.model.settings.definition import DefinitionSettings

SQL = statements(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionRecord:
    """What can be run, and how; `declared` is what its code, or its SQL, said last of its settings."""

    id: int
    key: str
    kind: Kind
    app: str
    description: str
    tags: list[str]
    payload_schema: dict[str, Any]
    secret_fields: list[str]
    function: str | None
    enabled: bool
    pause: Pause | None
    settings: dict[str, Any]
    declared: dict[str, Any]
    deleted_from_code_at: datetime | None
    synced_at: datetime
    workers: list[str]
    system: bool = False

    @property
    def overrides(self) -> dict[str, tuple[Any, Any]]:
        """Settings that an operator changed: what was declared, and what holds."""
        said = {name: value for name, value in self.declared.items() if name in self.settings}
        return {name: (value, self.settings[name]) for name, value in said.items() if value != self.settings[name]}


async def read_definitions(
    conn: Connection,
    *,
    runnable: bool,
    workers: bool = False,
    after: str | None = None,
    limit: int | None = None,
    system: bool = False,
    tenant: str | None = None,
) -> list[DefinitionRecord]:
    """By key: all, or those that can be `runnable` now; with the names of live `workers`, with `system` jobs too.

    With a tenant those that it may run.
    """
    rows = await conn.fetch(SQL["read_definitions"], runnable, workers, None, after, limit, system, tenant)
    return [_record(row) for row in rows]


async def read_definition(
    conn: Connection,
    key: str,
    *,
    runnable: bool,
    workers: bool = False,
    system: bool = True,
    tenant: str | None = None,
) -> DefinitionRecord:
    """One of them, or `NotFound`."""
    row = await conn.fetchrow(SQL["read_definitions"], runnable, workers, key, None, None, system, tenant)
    if row is None:
        raise NotFound(f'unknown definition "{key}"')
    return _record(row)


def _record(row: Any) -> DefinitionRecord:
    columns = dict(row)
    settings = {name: columns.pop(name) for name in DefinitionSettings.model_fields}
    pause = [columns.pop(name) for name in Pause._fields]
    for name in ("payload_schema", "declared"):
        columns[name] = read_object(columns[name])
    return DefinitionRecord(**columns, settings=settings, pause=None if pause[0] is None else Pause(*pause))
