"""The SQL jobs of the examples do what their file says, run as the README says."""

from __future__ import annotations

from pathlib import Path

from tests.examples.running import Terminals, have_ended

from headrace.db.connect import Connection
from headrace.db.embedded.roles import sql_role_url


async def test_functions_run_as_jobs_and_what_they_say_is_kept(
    tmp_path: Path, database_url: str, connection: Connection
) -> None:
    terminals = Terminals("sql", tmp_path, database_url, HEADRACE_SQL_DATABASE_URL=sql_role_url(database_url))
    try:
        async with terminals.worker(connection):
            terminals.psql("jobs.sql")
            await have_ended(connection, 5)
            history, carts, lines, hits = shown(terminals.psql("look.sql"))
            terminals.psql("jobs.sql")  # again, as the file says one may
            await have_ended(connection, 10)
    finally:
        # Tables of a test keep its database from being used again; functions would be used with it.
        await connection.execute("drop function if exists public.remove_old_carts, public.check_carts")
        await connection.execute("drop table if exists public.cart")
    assert sorted(line.rpartition("|")[0] for line in history) == [
        "check-carts|f|a cart without a customer was found||sql",
        'old carts|t|0 carts removed|{"days": 365, "removed": 0}|manual',
        'remove-old-carts|f|SQLSTATE 22P02: invalid input syntax for type integer: "many"||sql',
        "remove-old-carts|f|days must be 1 or more, not 0||sql",
        'remove-old-carts|t|2 carts removed|{"days": 30, "removed": 2}|sql',
    ]
    assert carts == ["Ada"]
    assert sorted(lines) == [
        "check-carts|1|20|wrote a cart that will not stay",
        "remove-old-carts|1|20|removing carts that nobody touched for 30 days",
        "remove-old-carts|1|20|removing carts that nobody touched for 365 days",
        "remove-old-carts|2|30|there was nothing to remove",
    ]
    assert [hit.split("|")[0::2] for hit in hits] == [["check-carts", "wrote a cart that will not stay"]]


def shown(text: str) -> list[list[str]]:
    """The rows of the four queries of look.sql, which differ in how many columns they have and what is in the first."""
    rows = text.splitlines()
    history = [row for row in rows if row.count("|") == 5]
    carts = [row for row in rows if "|" not in row]
    lines = [row for row in rows if row.count("|") == 3]
    hits = [row for row in rows if row.count("|") == 2]
    return [history, carts, lines, hits]
