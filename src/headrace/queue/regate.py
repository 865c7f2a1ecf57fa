"""Regate: when a limit comes to concern jobs that wait already, put them behind its gate."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)
PAGES_AT_ONCE = 500


async def regate_jobs(conn: Connection) -> bool:
    """One sweep over live jobs for the limits that are new; whether anything is left to do.

    A mark that was settled before a sweep that found nothing is done with. One that is not holds only jobs of
    transactions that are still open, so its gates can be let open.
    """
    marks = await conn.fetch(SQL["list_marks"])
    if not marks:
        return False
    pages: int = await conn.fetchval(SQL["count_pages"])
    wrong = 0
    for page in range(0, pages, PAGES_AT_ONCE):
        row = await conn.fetchrow(SQL["gate_rows"], f"({page},0)", f"({page + PAGES_AT_ONCE},0)")
        wrong += row["wrong"] if row else 0
    if wrong == 0:
        await conn.execute(SQL["swept"], [mark["id"] for mark in marks])
        await conn.execute(SQL["forget_marks"], [mark["id"] for mark in marks if mark["settled"]])
        return not all(mark["settled"] for mark in marks)
    return True
