"""Read: triggers as they stand, and their fires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from headrace.aside import by_size
from headrace.db.connect import Connection
from headrace.db.page import fetch_page
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import BadRequest, NotFound
from headrace.model.payload.stored_json import read_object
from headrace.model.settings.trigger import TriggerSettings
from headrace.model.system import SYSTEM_PREFIX
from headrace.model.trigger.record import Delivered, Fire, Trigger
from headrace.model.trigger.rule import TriggerType
from headrace.triggers.declare import differences

SQL = statements(__file__)


@dataclass(frozen=True, slots=True)
class TriggerFilter:
    """Conditions that must all hold."""

    definition: str | None = None
    trigger_type: TriggerType | None = None
    enabled: bool | None = None
    event: str | None = None
    include_system: bool = False


class TriggerRows(NamedTuple):
    """Triggers in order. `more`: there are others behind them."""

    items: Sequence[Trigger]
    more: bool


class Named(NamedTuple):
    """What a trigger is called, and whose it is."""

    name: str
    tenant: str


ALL = TriggerFilter()


async def get_trigger(conn: Connection, name: str, *, tenant: str) -> Trigger:
    """The trigger, or `NotFound`."""
    found = await _read(conn, tenant_id=await _tenant_id(conn, tenant), name=name)
    if not found:
        raise NotFound(f'unknown trigger "{name}" of tenant "{tenant}"')
    return found[0]


async def list_triggers(conn: Connection, *, tenant: str) -> list[Trigger]:
    """All of a tenant's, by name."""
    return await _read(conn, tenant_id=await _tenant_id(conn, tenant))


async def page_triggers(
    conn: Connection, wanted: TriggerFilter, *, tenant_id: int | None, after: tuple[str, UUID] | None, limit: int
) -> TriggerRows:
    """A page of a tenant's, or of everybody's, by name and id."""
    values = _values(wanted, tenant_id=tenant_id, after=after, limit=limit + 1)
    page = await fetch_page(conn, SQL["read_triggers"], *values, limit=limit, json_columns=("payload", "declared"))
    return TriggerRows(await _triggers(page.rows), page.more)


async def name_trigger(conn: Connection, trigger_id: UUID, *, tenant_id: int | None, deleted: bool = False) -> Named:
    """The name behind an id, also of one that was `deleted`; else `NotFound`, for another tenant's too."""
    row = await conn.fetchrow(SQL["name_of_trigger"], trigger_id, tenant_id, deleted)
    if row is None:
        raise NotFound(f'unknown trigger "{trigger_id}"')
    return Named(*row)


async def list_fires(
    conn: Connection, trigger_id: UUID, *, limit: int = 100, before: tuple[datetime, datetime, str] | None = None
) -> list[Fire]:
    """A trigger's newest fires, or those before (due_at, at, occasion); they outlive the trigger."""
    if limit < 1:
        raise BadRequest(f"limit is 1 or more, not {limit}.", field="limit")
    rows = await conn.fetch(SQL["list_fires"], trigger_id, limit, *(before or (None, None, None)))
    return [Fire(*row) for row in rows]


async def find_trigger(conn: Connection, name: str, *, tenant: str) -> UUID:
    """The id of the trigger, or of the last one that had that name; else `NotFound`."""
    with translated_errors():
        trigger_id: UUID | None = await conn.fetchval(SQL["find_trigger"], tenant, name)
    if trigger_id is None:
        raise NotFound(f'unknown trigger "{name}" of tenant "{tenant}"')
    return trigger_id


async def list_deliveries(
    conn: Connection, trigger_id: UUID, *, limit: int = 100, before: UUID | None = None
) -> list[Delivered]:
    """What a trigger made of the newest events, or of those before one."""
    if limit < 1:
        raise BadRequest(f"Deliveries are read by 1 or more, not {limit}.", field="limit")
    return [Delivered(*row) for row in await conn.fetch(SQL["list_deliveries"], trigger_id, limit, before)]


async def _tenant_id(conn: Connection, tenant: str) -> int:
    with translated_errors():
        found: int = await conn.fetchval(SQL["find_tenant"], tenant)
    return found


async def _read(conn: Connection, *, tenant_id: int, name: str | None = None) -> list[Trigger]:
    return await _triggers(await conn.fetch(SQL["read_triggers"], *_values(ALL, tenant_id=tenant_id, name=name)))


def _values(
    wanted: TriggerFilter,
    *,
    tenant_id: int | None,
    name: str | None = None,
    after: tuple[str, UUID] | None = None,
    limit: int | None = None,
) -> tuple[Any, ...]:
    """Of the statement, in order."""
    return (
        tenant_id,
        name,
        wanted.definition,
        wanted.trigger_type,
        wanted.enabled,
        wanted.event,
        *(after or (None, None)),
        limit,
        wanted.include_system or (wanted.definition or "").startswith(SYSTEM_PREFIX),
    )


async def _triggers(rows: Sequence[Any]) -> list[Trigger]:
    size = sum(len(row["payload"]) + len(row["declared"] or "") for row in rows)
    return await by_size(size, lambda: [_trigger(row) for row in rows])


def _trigger(row: Any) -> Trigger:
    columns = {**read_object(row["columns"]), "payload": read_object(row["payload"])}
    declared = None if row["declared"] is None else read_object(row["declared"])
    settings = {name: columns[name] for name in TriggerSettings.model_fields}
    # As times and not as text.
    settings |= {"starts_at": row["starts_at"], "ends_at": row["ends_at"]}
    return Trigger(
        id=row["id"],
        tenant=row["tenant"],
        name=row["name"],
        definition=row["definition"],
        enabled=row["enabled"],
        pause_note=row["pause_note"],
        settings=settings,
        overrides=differences(declared, columns),
        app=row["app"],
        version=row["version"],
        next_run_at=row["next_run_at"],
        pending_due_at=row["pending_due_at"],
        last_run_at=row["last_run_at"],
        last_error=row["last_error"],
        fires=row["fires"],
        runs=row["runs"],
        created_at=row["created_at"],
        created_by=row["created_by"],
        obstacle=row["obstacle"],
    )
