"""A page of rows: so many rows, or fewer where their JSON is large, because a server holds a page in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from headrace.db.connect import Connection

# Characters of JSON; parsed they take several times the memory. A single row is always read.
LARGEST = 8_000_000
# Rows that one round trip brings.
PIECE = 25


class RowPage(NamedTuple):
    """Rows in order. `more`: there are others behind them."""

    rows: Sequence[Any]
    more: bool


async def fetch_page(
    conn: Connection, statement: str, *values: Any, limit: int, json_columns: Sequence[str]
) -> RowPage:
    """At most `limit` rows of a statement that gives at least one row more, if there is one. In a transaction."""
    rows: list[Any] = []
    size = 0
    async for row in conn.cursor(statement, *values, prefetch=min(PIECE, limit + 1)):
        size += sum(len(row[column] or "") for column in json_columns)
        if len(rows) == limit or (rows and size > LARGEST):
            return RowPage(rows, more=True)
        rows.append(row)
    return RowPage(rows, more=False)
