"""Running a statement on a connection that the caller brought, inside the caller's transaction."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.errors import BadRequest

_PLACEHOLDER = re.compile(r"\$(\d+)")


async def fetch_column(connection: Any, statement: str, parameters: Sequence[Any]) -> list[UUID]:
    """The first column of what the statement gives, over whichever driver the connection belongs to."""
    with translated_errors():
        result = fetch_column_maybe_async(connection, statement, parameters)
        ids: list[UUID] = await result if inspect.isawaitable(result) else result
        return ids


def fetch_column_maybe_async(connection: Any, statement: str, parameters: Sequence[Any]) -> Any:
    """The column, or an awaitable of it for an async driver."""
    match _family(connection):
        case "asyncpg":
            return _asyncpg(connection, statement, parameters)
        case "psycopg":
            cursor = connection.execute(_PLACEHOLDER.sub(r"%(p\1)s", statement), _named(parameters))
            return _awaited_cursor(cursor) if inspect.isawaitable(cursor) else _first(cursor.fetchall())
        case "sqlalchemy":
            return _sqlalchemy(connection, statement, parameters)
        case _:
            raise BadRequest(
                f"connection= does not support {type(connection).__module__}.{type(connection).__qualname__}: "
                "give an asyncpg, psycopg or SQLAlchemy connection or session"
            )


def is_async(connection: Any) -> bool:
    """Whether the connection belongs to an event loop."""
    return _family(connection) == "asyncpg" or inspect.iscoroutinefunction(getattr(connection, "execute", None))


def _family(connection: Any) -> str:
    """Which library the connection's class, or one it inherits from, comes from."""
    for cls in type(connection).__mro__:
        root = cls.__module__.partition(".")[0]
        if root in ("asyncpg", "psycopg", "sqlalchemy"):
            return root
    return ""


async def _asyncpg(connection: Connection, statement: str, parameters: Sequence[Any]) -> list[UUID]:
    return _first(await connection.fetch(statement, *parameters))


async def _awaited_cursor(cursor: Any) -> list[UUID]:
    return _first(await (await cursor).fetchall())


def _sqlalchemy(connection: Any, statement: str, parameters: Sequence[Any]) -> Any:
    import sqlalchemy

    text = sqlalchemy.text(_PLACEHOLDER.sub(r":p\1", statement))
    result = connection.execute(text, _named(parameters))
    return _awaited_result(result) if inspect.isawaitable(result) else _first(result.all())


async def _awaited_result(result: Any) -> list[UUID]:
    return _first((await result).all())


def _named(parameters: Sequence[Any]) -> dict[str, Any]:
    return {f"p{number}": value for number, value in enumerate(parameters, 1)}


def _first(rows: Sequence[Any]) -> list[UUID]:
    return [row[0] for row in rows]
