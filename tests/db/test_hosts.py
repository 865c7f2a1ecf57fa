"""A URL may name several hosts: whichever takes writes is found, and one that is silent holds nobody up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from headrace.db.connect import Endpoint, place
from headrace.db.hosts import TIMEOUT, each_host, take_timeout
from headrace.db.server_check import check_server
from headrace.errors import DatabaseUnusable


@pytest.fixture
async def silent(tmp_path: Path) -> AsyncIterator[Path]:
    """The socket of a host that accepts everybody and says nothing."""
    kept = asyncio.Event()

    async def say_nothing(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await kept.wait()
        writer.close()

    async with await asyncio.start_unix_server(say_nothing, tmp_path / ".s.PGSQL.5432"):
        yield tmp_path
        kept.set()


def beside(url: str, *folders: Path) -> str:
    """The URL of a server, with hosts named before it."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    hosts = ",".join([*map(str, folders), query["host"][-1]])
    ports = ",".join([*("5432" for _ in folders), query["port"][-1]])
    return f"postgresql://{parts.netloc}{parts.path}?host={hosts}&port={ports}"


@pytest.mark.parametrize(
    ("url", "urls"),
    [
        ("postgresql://u:p@a/d", ["postgresql://u:p@a/d"]),
        ("postgresql://u@a,b:2/d?x=1", ["postgresql://u@a/d?x=1", "postgresql://u@b:2/d?x=1"]),
        ("postgresql://a:1,[::1]:2/d", ["postgresql://a:1/d", "postgresql://[::1]:2/d"]),
        ("postgresql://u@%2Fa,%2Fb/d", ["postgresql://u@%2Fa/d", "postgresql://u@%2Fb/d"]),
        ("postgresql://u@/d?host=/a", ["postgresql://u@/d?host=/a"]),
        ("postgresql://u@/d?host=/a,/b", ["postgresql://u@/d?host=%2Fa", "postgresql://u@/d?host=%2Fb"]),
        ("postgresql:///d?host=a,b&port=1", ["postgresql:///d?host=a&port=1", "postgresql:///d?host=b&port=1"]),
        ("postgresql:///d?host=a,b&port=1,2", ["postgresql:///d?host=a&port=1", "postgresql:///d?host=b&port=2"]),
    ],
)
def test_a_url_is_taken_apart_by_hosts(url: str, urls: list[str]) -> None:
    assert each_host(url) == urls


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        ("postgresql://u@a/d", ("postgresql://u@a/d", TIMEOUT)),
        ("postgresql://u@a/d?connect_timeout=3", ("postgresql://u@a/d", 3.0)),
        ("postgresql://u@a/d?connect_timeout=0&x=1", ("postgresql://u@a/d?x=1", TIMEOUT)),
    ],
)
def test_a_timeout_for_connecting_is_ours_and_not_the_servers(url: str, taken: tuple[str, float]) -> None:
    assert take_timeout(url) == taken


async def test_ports_that_do_not_fit_the_hosts_are_refused() -> None:
    with pytest.raises(DatabaseUnusable, match="cannot be read"):
        await check_server("postgresql://u@/d?host=/a,/b,/c&port=1,2")


async def test_a_host_that_is_silent_or_gone_holds_nobody_up(database_url: str, silent: Path, tmp_path: Path) -> None:
    endpoint = Endpoint(f"{beside(database_url, silent, tmp_path / 'gone')}&connect_timeout=3600")
    connection = await endpoint.connect("test")
    pool = await endpoint.pool("test", size=2)
    assert await connection.fetchval("select 1") == await pool.fetchval("select 1") == 1
    await connection.close()
    await pool.close()


async def test_of_several_hosts_only_one_that_takes_writes_will_do(database_url: str, tmp_path: Path) -> None:
    url = f"{beside(database_url, tmp_path)}&default_transaction_read_only=on"
    with pytest.raises(asyncpg.TargetServerAttributeNotMatched):
        await Endpoint(url).connect("test")
    with pytest.raises(DatabaseUnusable, match="None of the hosts match"):
        await check_server(url)
    connection = await Endpoint(f"{url}&target_session_attrs=any").connect("test")
    await connection.close()


async def test_what_a_server_says_is_told_rather_than_that_another_is_silent(database_url: str, tmp_path: Path) -> None:
    url = beside(database_url, tmp_path).replace(urlsplit(database_url).path, "/no-such-database")
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await Endpoint(url).connect("test")


def test_all_hosts_are_named_when_none_answers() -> None:
    assert place("postgresql://u:s3cret@one:1,two:2/jobs") == "one:1,two:2/jobs"


async def test_a_host_that_says_nothing_is_told_with_how_long_it_was_waited_for(silent: Path) -> None:
    url = f"postgresql://somebody@/jobs?host={silent}&connect_timeout=1"
    with pytest.raises(DatabaseUnusable, match=r"/jobs: no response within 1 s\. Check HEADRACE_DATABASE_URL\.$"):
        await check_server(url)
