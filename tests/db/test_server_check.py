"""A server that cannot keep a promise is refused with a sentence that says what to do."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest
from tests.waiting import until

from headrace.db.embedded import EmbeddedServer
from headrace.db.server_check import ServerReport, check_server, refuse_unfit
from headrace.errors import DatabaseUnusable


@pytest.fixture
def own_server() -> Iterator[EmbeddedServer]:
    """A server that this test may spoil."""
    folder = Path(tempfile.mkdtemp(prefix="headrace-unfit-"))
    with EmbeddedServer.start(folder) as server:
        yield server
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("version", [90624, 130000, 140012, 149999])
def test_an_old_server_is_refused(version: int) -> None:
    with pytest.raises(
        DatabaseUnusable, match=f"PostgreSQL {version // 10_000} is too old: Headrace needs 15 or newer"
    ):
        refuse_unfit(version, "on")


def test_a_standby_is_refused() -> None:
    with pytest.raises(DatabaseUnusable, match="is a standby and refuses writes"):
        refuse_unfit(180000, "on", standby=True)


@pytest.mark.parametrize("version", [150000, 160004, 180000])
def test_a_supported_server_is_accepted(version: int) -> None:
    refuse_unfit(version, "on")


def test_a_server_that_forgets_is_refused() -> None:
    with pytest.raises(DatabaseUnusable, match=r"fsync=off and would lose accepted jobs in a crash\. Set fsync=on"):
        refuse_unfit(180000, "off")


async def test_a_real_server_that_forgets_is_refused_until_mended(own_server: EmbeddedServer) -> None:
    assert (await check_server(own_server.url)).version == 18
    await set_fsync(own_server.url, "off")
    with pytest.raises(DatabaseUnusable, match="fsync=off"):
        await check_server(own_server.url)
    await set_fsync(own_server.url, "on")
    await check_server(own_server.url)


async def set_fsync(url: str, value: str) -> None:
    conn = await asyncpg.connect(url)
    try:
        await conn.execute(f"alter system set fsync = {value}")
        await conn.execute("select pg_reload_conf()")

        async def done() -> bool:
            # A new session has read the new file.
            fresh = await asyncpg.connect(url)
            try:
                return bool(await fresh.fetchval("select current_setting('fsync')") == value)
            finally:
                await fresh.close()

        await until(f"fsync is {value}", done)
    finally:
        await conn.close()


async def test_an_unreachable_host_is_named_without_the_password() -> None:
    with pytest.raises(DatabaseUnusable) as refused:
        await check_server("postgresql://someone:s3cret@127.0.0.1:1/jobs?sslmode=disable")
    message = str(refused.value)
    assert message.startswith("cannot connect to PostgreSQL at 127.0.0.1:1/jobs: ")
    assert "HEADRACE_DATABASE_URL" in message
    assert "s3cret" not in message


async def test_an_unknown_host_is_named_without_the_password() -> None:
    with pytest.raises(DatabaseUnusable) as refused:
        await check_server("postgresql://someone:s3cret@no-such-host.invalid/jobs")
    assert "no-such-host.invalid/jobs" in str(refused.value)
    assert "s3cret" not in str(refused.value)


async def test_a_missing_socket_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnusable) as refused:
        await check_server(f"postgresql://someone:s3cret@/jobs?host={tmp_path}")
    assert f"{tmp_path}/jobs" in str(refused.value)
    assert "s3cret" not in str(refused.value)


async def test_a_login_that_the_server_refuses_is_explained_without_the_password(database_url: str) -> None:
    parts = urlsplit(database_url)
    socket_dir = parse_qs(parts.query)["host"][0]
    url = f"postgresql://nobody:s3cret@{parts.path}?{parts.query}"
    with pytest.raises(DatabaseUnusable) as refused:
        await check_server(url)
    assert 'role "nobody" does not exist' in str(refused.value)
    assert socket_dir in str(refused.value)
    assert "s3cret" not in str(refused.value)


async def test_a_database_that_does_not_exist_is_explained(database_url: str) -> None:
    parts = urlsplit(database_url)
    with pytest.raises(DatabaseUnusable, match='database "nowhere" does not exist'):
        await check_server(f"postgresql://{parts.username}@/nowhere?{parts.query}")


@pytest.mark.parametrize("url", ["mysql://u:s3cret@host/db", "postgresql://u:s3cret/x@host/db", "postgresql://u@h:x/d"])
async def test_a_url_that_cannot_be_read_is_explained_without_repeating_it(url: str) -> None:
    with pytest.raises(DatabaseUnusable, match="HEADRACE_DATABASE_URL cannot be read: write it as") as refused:
        await check_server(url)
    assert "s3cret" not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize(("skew", "warned"), [(0.0, False), (4.9, False), (-4.9, False), (5.1, True), (-60.0, True)])
def test_a_clock_that_differs_is_worth_a_warning(skew: float, warned: bool) -> None:
    warnings = ServerReport(18, False, skew).warnings
    assert bool(warnings) == warned
    assert not warned or f"{skew:+.1f} s from the database" in warnings[0]


async def test_a_healthy_server_has_no_warnings(database_url: str) -> None:
    assert (await check_server(database_url)).warnings == []
