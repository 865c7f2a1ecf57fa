"""The storm's proxies do what their faults are called, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest
from tests.chaos.storm.proxy.postgres import PostgresProxy
from tests.chaos.storm.proxy.trap import Trap

from headrace.db.connect import Connection, Endpoint, OwnConnection

WRITE = "insert into public.proxied values ($1)"


@pytest.fixture
async def proxy(database_url: str, connection: Connection) -> AsyncIterator[PostgresProxy]:
    """Before the test's database, with a table to write to."""
    await connection.execute("create table public.proxied (what text)")
    socket = Path(parse_qs(urlsplit(database_url).query)["host"][0]) / ".s.PGSQL.5432"
    with tempfile.TemporaryDirectory(prefix="proxy-") as folder:
        proxy = PostgresProxy(Path(folder) / "p", socket)
        await proxy.start()
        yield proxy
        await proxy.close()
    await connection.execute("drop table public.proxied")


async def connected(proxy: PostgresProxy, database_url: str) -> OwnConnection:
    """By way of the proxy, with the statement prepared, as that of a worker is."""
    database = urlsplit(database_url).path
    url = f"postgresql://headrace@{database}?host={proxy.folder}&port=5432"
    through = await Endpoint(url).connect("proxied", command_timeout=30)
    await through.execute(WRITE, "first")
    return through


async def laid(proxy: PostgresProxy, kind: str) -> asyncio.Task[str | None]:
    """A trap that waits for the next statement."""
    task = asyncio.create_task(proxy.traps.lay(Trap(kind, sqlstate="42P01")))
    await asyncio.sleep(0)  # until it is laid
    return task


async def written(connection: Connection) -> list[str]:
    return [row[0] for row in await connection.fetch("select what from public.proxied order by what")]


@pytest.mark.parametrize(("kind", "arrives"), [("lost-statement", False), ("lost-reply", True)])
async def test_a_connection_ends_before_the_statement_or_after_its_commit(
    proxy: PostgresProxy, database_url: str, connection: Connection, kind: str, arrives: bool
) -> None:
    through = await connected(proxy, database_url)
    trap = await laid(proxy, kind)
    with pytest.raises((asyncpg.PostgresConnectionError, ConnectionError)):
        await through.execute(WRITE, "second")
    assert await trap == WRITE
    assert await written(connection) == ["first", *(["second"] if arrives else [])]


async def test_a_refused_statement_leaves_the_session_usable(
    proxy: PostgresProxy, database_url: str, connection: Connection
) -> None:
    through = await connected(proxy, database_url)
    trap = await laid(proxy, "refused-statement")
    with pytest.raises(asyncpg.UndefinedTableError, match="refused by the storm"):
        await through.execute(WRITE, "second")
    assert await trap == WRITE
    async with through.transaction():
        await through.execute(WRITE, "third")
    transaction = through.transaction()
    await transaction.start()
    await through.execute(WRITE, "fourth")
    await laid(proxy, "refused-statement")
    with pytest.raises(asyncpg.UndefinedTableError):
        await through.execute(WRITE, "fifth")
    await transaction.rollback()
    assert await written(connection) == ["first", "third"]
    await through.close()


async def test_a_half_open_connection_neither_answers_nor_ends(
    proxy: PostgresProxy, database_url: str, connection: Connection
) -> None:
    through = await connected(proxy, database_url)
    trap = await laid(proxy, "half-open")
    asked = asyncio.create_task(through.execute(WRITE, "second"))
    assert await trap == WRITE
    assert not asked.done()
    assert await written(connection) == ["first"]
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    through.terminate()


async def test_a_trap_waits_for_the_statement_that_it_is_meant_for(
    proxy: PostgresProxy, database_url: str, connection: Connection
) -> None:
    through = await connected(proxy, database_url)
    trap = asyncio.create_task(proxy.traps.lay(Trap("lost-statement", aim="heartbeat")))
    await asyncio.sleep(0)
    await through.execute(WRITE, "second")
    with pytest.raises((asyncpg.PostgresConnectionError, ConnectionError)):
        await through.fetch("update headrace.worker set heartbeat_at = now() where id = $1", 0)
    assert "headrace.worker" in str(await trap)
    assert await written(connection) == ["first", "second"]
