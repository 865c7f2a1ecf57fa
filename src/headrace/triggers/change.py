"""Change: what a person may do to a trigger. The table's own row trigger sees to due times, versions and waking."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from headrace.aside import by_size
from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import Conflict, NotFound, ValidationError
from headrace.model.field_context import field_context
from headrace.model.payload.json_storage import rough_size
from headrace.model.payload.schema import payload_check
from headrace.model.secret.fields import MASKED, secret_values
from headrace.model.secret.mask_outcome import LARGE
from headrace.model.secret.mask_template import mask_template
from headrace.model.secret.schema import read_secret_schema
from headrace.model.secret.unmask import unmask
from headrace.model.trigger.declaration import complete_settings, read_settings
from headrace.triggers.read import get_trigger

SQL = statements(__file__)


async def create_trigger(
    conn: Connection,
    name: str,
    definition: str,
    settings: Mapping[str, Any],
    *,
    tenant: str,
    enabled: bool = True,
    created_by: str | None = None,
) -> UUID:
    """A new trigger; refused with the reason where its rule, its payload or its name will not do."""
    complete = complete_settings(settings)
    _check_payload(name, complete, await schema_of(conn, definition, tenant=tenant))
    try:
        with translated_errors():
            trigger_id: UUID = await conn.fetchval(
                SQL["create_trigger"], tenant, name, definition, _json(complete), enabled, created_by
            )
            await conn.execute(SQL["check_amount"], trigger_id, True)
            return trigger_id
    except asyncpg.UniqueViolationError:
        raise Conflict(f'tenant "{tenant}" already has a trigger "{name}"', field="name") from None


async def update_trigger(conn: Connection, name: str, changes: Mapping[str, Any], *, tenant: str) -> None:
    """Change some settings; refused as a whole where the result would not do."""
    async with conn.transaction():
        trigger_id = await _lock(conn, name, tenant)
        before = await get_trigger(conn, name, tenant=tenant)
        schema = await schema_of(conn, before.definition, tenant=tenant, known=True)
        if "payload" in changes:
            kept = before.settings["payload"]
            edited = await by_size(rough_size(kept, LARGE), _unmasked, changes["payload"], kept, schema)
            changes = {**changes, "payload": edited}
        complete = complete_settings({**before.settings, **changes})
        _check_payload(name, complete, schema)
        with translated_errors():
            await conn.execute(SQL["update_trigger"], trigger_id, _json(changes))
            if "payload" in changes:
                await conn.execute(SQL["check_amount"], trigger_id, False)


async def reset_trigger(conn: Connection, name: str, *, tenant: str) -> None:
    """Make it say again what code declares."""
    async with conn.transaction():
        trigger_id = await _lock(conn, name, tenant)
        if not await conn.fetchval(SQL["reset_trigger"], trigger_id):
            raise Conflict(f'trigger "{name}" was not declared in code and cannot be reset')


async def set_enabled(conn: Connection, name: str, *, tenant: str, enabled: bool, note: str | None = None) -> None:
    """Turn it on, from now, or off: then it fires no more, whatever is under way; jobs already enqueued run."""
    with translated_errors():
        if not await conn.fetchval(SQL["set_enabled"], tenant, name, enabled, note):
            raise _unknown(name, tenant)


async def delete_trigger(conn: Connection, name: str, *, tenant: str) -> None:
    """Remove it; its fires and its jobs stay. One that code declares would be back with the next sync."""
    with translated_errors():
        if not await conn.fetchval(SQL["delete_trigger"], name, tenant):
            raise _unknown(name, tenant)


async def _lock(conn: Connection, name: str, tenant: str) -> UUID:
    with translated_errors():
        trigger_id: UUID | None = await conn.fetchval(SQL["lock_trigger"], tenant, name)
    if trigger_id is None:
        raise _unknown(name, tenant)
    return trigger_id


async def schema_of(conn: Connection, definition: str, *, tenant: str, known: bool = False) -> str:
    """The definition's schema; triggers have no key, so one with secret fields is refused.

    A tenant that may not run the definition hears of it only where a trigger of its own has it, and so it is `known`.
    """
    with field_context("definition"), translated_errors():
        schema, secret = await conn.fetchrow(SQL["schema_of"], definition, tenant, known) or ("{}", [])
    if secret:
        raise Conflict(
            f'a trigger cannot enqueue "{definition}": a trigger has no key to encrypt {", ".join(secret)}',
            field="definition",
        )
    return str(schema)


def _unknown(name: str, tenant: str) -> NotFound:
    return NotFound(f'unknown trigger "{name}" of tenant "{tenant}"')


def _check_payload(name: str, settings: Mapping[str, Any], schema: str) -> None:
    """A payload without placeholders can be held against the definition now, and not only when it fires."""
    payload = read_settings(name, settings).payload
    if MASKED in secret_values(settings["payload"], read_secret_schema(schema)):
        raise ValidationError(f"the payload contains the mask {MASKED}; send the real value", field="payload")
    if payload.is_constant:
        problem = payload_check(schema)(payload.render({})[1])
        if problem is not None:
            raise ValidationError(
                f'the payload of trigger "{name}" does not fit its definition: {problem}', field="payload"
            )


def _unmasked(edited: Any, kept: Any, schema: str) -> Any:
    """Where a person left a mask, the value that it stands for."""
    return unmask(edited, mask_template(kept, read_secret_schema(schema)), kept)


def _json(settings: Mapping[str, Any]) -> str:
    return json.dumps(dict(settings), default=datetime.isoformat)
