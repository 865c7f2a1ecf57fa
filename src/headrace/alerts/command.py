"""A command: a job of a definition that a worker's own configuration has, never one that the database could invent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.alerts.sent import NotSent, Sent
from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import HeadraceError
from headrace.model.payload.schema import payload_check
from headrace.model.system import SYSTEM_TENANT
from headrace.model.text import to_json

SQL = statements(__file__)


async def run_command(conn: Connection, key: str, notice: Mapping[str, Any], *, tenant: str | None) -> Sent:
    """Enqueue it with the notice as its payload, once however often this is tried; or `NotSent`.

    A notice of the server's own may tell of anybody's jobs: it is for the system's tenant.
    """
    schema = await conn.fetchval(SQL["schema_of"], key)
    if schema is None:
        raise NotSent(f"no worker has a command {key!r}: [commands.{key}] belongs in its headrace.toml")
    if (problem := payload_check(schema)(notice)) is not None:
        raise NotSent(f"the args of command {key!r} do not accept a notice: {problem}")
    try:
        with translated_errors():
            job_id = await conn.fetchval(
                SQL["enqueue"], key, to_json(dict(notice)), tenant or SYSTEM_TENANT, f"alert:{notice['id']}"
            )
    except HeadraceError as error:
        raise NotSent(str(error)) from None
    return Sent(f"job {job_id}")
