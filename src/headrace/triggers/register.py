"""Register: a repeating job's trigger, made or changed by whichever process comes first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import Conflict, NotFound
from headrace.model.trigger.declaration import complete_settings

SQL = statements(__file__)


async def register_trigger(
    conn: Connection, name: str, definition: str, settings: Mapping[str, Any], *, tenant: str, app: str
) -> UUID:
    """The trigger's id. One that is there keeps its rhythm unless a start is given, and stays off if it is off."""
    complete = complete_settings(settings)
    with translated_errors():
        trigger_id: UUID | None = await conn.fetchval(
            SQL["register_trigger"], tenant, name, definition, json.dumps(complete, default=datetime.isoformat), app
        )
    if trigger_id is None:
        raise Conflict(f'tenant "{tenant}" has a trigger "{name}" that was not registered at run time by this app')
    return trigger_id


async def unregister_trigger(conn: Connection, name: str, *, tenant: str) -> None:
    """Remove what was registered."""
    with translated_errors():
        if not await conn.fetchval(SQL["unregister_trigger"], tenant, name):
            raise NotFound(f'tenant "{tenant}" has no registered job "{name}"')
