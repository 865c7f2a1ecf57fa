"""Our connections have settings of their own, whatever a role, a database or a server has for others."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from headrace.db.connect import Connection, Endpoint

HOSTILE = {
    "default_transaction_isolation": ("repeatable read", "read committed"),
    "default_transaction_deferrable": ("on", "off"),
    "statement_timeout": ("5s", "0"),
    "lock_timeout": ("1ms", "0"),
    "idle_in_transaction_session_timeout": ("1ms", "0"),
    "idle_session_timeout": ("1min", "0"),
    "transaction_timeout": ("5s", "0"),
    "row_security": ("off", "on"),
    "DateStyle": ("German", "ISO, MDY"),
    "IntervalStyle": ("iso_8601", "postgres"),
    "standard_conforming_strings": ("off", "on"),
    "timezone": ("Asia/Tokyo", "UTC"),
}


@pytest.fixture
async def hostile(connection: Connection) -> AsyncIterator[set[str]]:
    """The names of settings that are bad for us on this database, as far as the server knows them."""
    database = await connection.fetchval("select current_database()")
    known = {row[0] for row in await connection.fetch("select name from pg_settings")}
    known &= HOSTILE.keys() | {name.lower() for name in HOSTILE}
    names = {name for name in HOSTILE if name in known or name.lower() in known}
    for name in names:
        await connection.execute(f"alter database \"{database}\" set {name} = '{HOSTILE[name][0]}'")
    yield names
    for name in names:
        await connection.execute(f'alter database "{database}" reset {name}')


async def test_a_connection_and_a_pool_have_settings_of_their_own(database_url: str, hostile: set[str]) -> None:
    endpoint = Endpoint(database_url)
    expected = {name: HOSTILE[name][1] for name in hostile}
    alone = await endpoint.connect("test")
    assert {name: await alone.fetchval("select current_setting($1)", name) for name in hostile} == expected
    await alone.close()
    pool = await endpoint.pool("test", size=1)
    async with pool.acquire() as pooled:
        assert {name: await pooled.fetchval("select current_setting($1)", name) for name in hostile} == expected
    async with pool.acquire() as again:  # what one user leaves behind is what the next one has
        assert {name: await again.fetchval("select current_setting($1)", name) for name in hostile} == expected
    await pool.close()
