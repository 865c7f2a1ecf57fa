"""Read: triggers as they stand, and the ledger."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import BadRequest, NotFound
from headrace.model.trigger_record import Delivered, Fire, Trigger
from headrace.model.trigger_settings import DEFAULTS
from headrace.triggers.declare import differences

SQL = statements(__file__)


async def get_trigger(conn: Connection, name: str, *, tenant: str) -> Trigger:
    """The trigger, or `NotFound`."""
    with translated_errors():
        rows = await conn.fetch(SQL["read_triggers"], tenant, name)
    if not rows:
        raise NotFound(f'unknown trigger "{name}" of tenant "{tenant}"')
    return _trigger(rows[0])


async def list_triggers(conn: Connection, *, tenant: str) -> list[Trigger]:
    """All of a tenant's, by name."""
    with translated_errors():
        return [_trigger(row) for row in await conn.fetch(SQL["read_triggers"], tenant, None)]


async def list_fires(conn: Connection, trigger_id: UUID, *, limit: int = 100) -> list[Fire]:
    """The newest lines of a trigger's ledger; they outlive it."""
    if limit < 1:
        raise BadRequest(f"A ledger is read by 1 line or more, not {limit}.")
    return [Fire(*row) for row in await conn.fetch(SQL["list_fires"], trigger_id, limit)]


async def find_trigger(conn: Connection, name: str, *, tenant: str) -> UUID:
    """The id of the trigger, or of the last one that had that name; else `NotFound`."""
    with translated_errors():
        trigger_id: UUID | None = await conn.fetchval(SQL["find_trigger"], tenant, name)
    if trigger_id is None:
        raise NotFound(f'unknown trigger "{name}" of tenant "{tenant}"')
    return trigger_id


async def list_deliveries(conn: Connection, trigger_id: UUID, *, limit: int = 100) -> list[Delivered]:
    """What a trigger made of the newest events."""
    if limit < 1:
        raise BadRequest(f"Deliveries are read by 1 or more, not {limit}.")
    return [Delivered(*row) for row in await conn.fetch(SQL["list_deliveries"], trigger_id, limit)]


def _trigger(row: Any) -> Trigger:
    columns = json.loads(row["columns"])
    settings = {name: columns[name] for name in DEFAULTS}
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
        overrides=differences(columns["declared"], columns),
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
    )
