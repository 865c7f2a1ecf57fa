"""Change: what an operator may set of a definition. The table's own trigger tells the workers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import asyncpg

from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import BadRequest, NotFound
from headrace.model.field_context import field_context
from headrace.model.settings.definition import DefinitionSettings, OperatorSettings

SQL = statements(__file__)
# Rules over two settings are the table's: the row has what the change does not say.
RULES = {rule.constraint: rule for rule in OperatorSettings.rules}


async def change_definition(conn: Connection, key: str, changes: Mapping[str, Any]) -> None:
    """Set some of a definition's settings, or `BadRequest` with the one that will not do. It holds from now on."""
    text = OperatorSettings.read(changes).model_dump_json(exclude_unset=True)
    try:
        found = await conn.fetchval(SQL["change_definition"], key, text)
    except asyncpg.CheckViolationError as error:
        rule = RULES[str(error.constraint_name)]
        raise BadRequest(rule.sentence, field=rule.field) from None
    if not found:
        raise NotFound(f'unknown definition "{key}"')
    if "queue" in changes:
        await conn.execute(SQL["ensure_lane"], key)


async def pause_definition(conn: Connection, key: str, *, note: str, by: str, resume_at: datetime | None) -> None:
    """None of its jobs are claimed, until it is resumed or until then."""
    if not await conn.fetchval(SQL["pause_definition"], key, note, by, resume_at):
        raise NotFound(f'unknown definition "{key}"')


async def resume_definition(conn: Connection, key: str) -> bool:
    """Whether it stood still."""
    return bool(await conn.fetchval(SQL["resume_definition"], key))


async def define_sql_job(
    conn: Connection, key: str, function: str, *, description: str, settings: Mapping[str, Any]
) -> None:
    """A definition that calls a function of the database, made or changed."""
    text = DefinitionSettings.read(settings).check_rules().model_dump_json(exclude_unset=True)
    try:
        with translated_errors():
            await conn.execute(SQL["define_sql_job"], key, function, description, text)
    except NotFound as error:
        # The request is there; it is the function that is not.
        raise BadRequest(str(error), field="function") from error
    except BadRequest as error:
        with field_context("function"):
            raise error from None
