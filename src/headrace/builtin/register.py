"""Register: make the built-in jobs known to the database, and their default schedules once."""

from __future__ import annotations

import json
from collections.abc import Iterable

from headrace.builtin.registry import DefaultSchedule
from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.define.handler import Handler
from headrace.define.sync import sync_definitions

SQL = statements(__file__)
APP = "headrace"


async def register_builtins(
    conn: Connection, handlers: Iterable[Handler], schedules: Iterable[DefaultSchedule]
) -> list[str]:
    """Gives back the names of schedules that were made now. A process of another version may know other jobs."""
    definitions = [handler.definition for handler in handlers]
    async with conn.transaction():
        await sync_definitions(conn, definitions, app=APP, complete=False)
        return [one.name for one in schedules if await _make(conn, one)]


async def _make(conn: Connection, one: DefaultSchedule) -> bool:
    made = await conn.fetchval(SQL["make_schedule"], one.name, one.definition, one.cron, json.dumps(one.payload))
    return made is not None
