"""A connection that comes back: what counts as an outage, and what does not."""

from __future__ import annotations

import asyncpg
import pytest

from headrace.db.connect import Endpoint, OwnConnection
from headrace.db.link import DatabaseAway, Link


async def test_a_session_that_the_server_ended_is_an_outage_and_the_next_use_opens_another(database_url: str) -> None:
    link = Link(Endpoint(database_url), "test")
    async with link.use() as conn:
        first = await conn.fetchval("select pg_backend_pid()")
    with pytest.raises(DatabaseAway):
        async with link.use() as conn:
            await conn.execute("select pg_terminate_backend(pg_backend_pid())")
    async with link.use() as conn:
        assert await conn.fetchval("select pg_backend_pid()") != first
    await link.close()


async def test_a_value_that_cannot_be_encoded_is_no_outage_to_be_waited_out(database_url: str) -> None:
    link = Link(Endpoint(database_url), "test")
    with pytest.raises(asyncpg.DataError, match="invalid input"):
        async with link.use() as conn:
            await conn.fetchval("select $1::int", "not a number")
    await link.close()


async def test_a_server_that_takes_no_writes_is_an_outage_and_the_next_use_looks_for_another(database_url: str) -> None:
    link = Link(Endpoint(f"{database_url}&default_transaction_read_only=on"), "test")
    async with link.use() as conn:
        first = await conn.fetchval("select pg_backend_pid()")
    with pytest.raises(DatabaseAway, match="read-only transaction"):
        async with link.use() as conn:
            await conn.execute("delete from headrace.queue")
    async with link.use() as conn:
        assert await conn.fetchval("select pg_backend_pid()") != first
    await link.close()


@pytest.mark.parametrize(
    ("url", "within", "seconds"),
    [
        ("postgresql://u@a/d", None, 30.0),
        ("postgresql://u@a,b/d", None, 10.0),  # another one may have taken over
        ("postgresql://u@a,b/d", 2.5, 2.5),
    ],
)
async def test_an_answer_is_waited_for_as_long_as_it_is_worth(url: str, within: float | None, seconds: float) -> None:
    asked: list[float | None] = []

    class Silent(Endpoint):
        async def connect(self, name: str, *, command_timeout: float | None = None) -> OwnConnection:
            asked.append(command_timeout)
            raise TimeoutError

    with pytest.raises(DatabaseAway):
        async with Link(Silent(url), "test", within=within).use():
            pass
    assert asked == [seconds]
