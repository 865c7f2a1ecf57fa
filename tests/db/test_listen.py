"""A listener comes back by itself, whatever ended it."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
from tests.waiting import PATIENCE, until

from headrace.db.connect import Connection, Endpoint, OwnConnection
from headrace.db.listen import Listener

SESSION = "select pid from pg_stat_activity where datname = current_database() and application_name = 'headrace listen'"


@pytest.mark.parametrize(
    "refusal",
    [
        asyncpg.CannotConnectNowError("it starts"),
        asyncpg.InvalidPasswordError("the password was just changed"),
        asyncpg.PostgresIOError("a disk has a fault"),
        asyncpg.InsufficientPrivilegeError("a right is missing"),
    ],
    ids=lambda refusal: type(refusal).__name__,
)
async def test_a_listener_that_is_refused_says_that_it_hears_nothing_and_comes_back(
    database_url: str, connection: Connection, refusal: Exception
) -> None:
    heard: list[str] = []
    refusals: list[Exception] = []

    class Refusing(Endpoint):
        async def connect(self, name: str, *, command_timeout: float | None = None) -> OwnConnection:
            if refusals:
                raise refusals.pop()
            return await super().connect(name, command_timeout=command_timeout)

    listener = Listener(Refusing(database_url), {"headrace": heard.append})
    listener.start()
    await asyncio.wait_for(listener.listening.wait(), PATIENCE)
    refusals[:] = [refusal] * 2
    assert await connection.fetchval(f"select bool_and(pg_terminate_backend(pid)) from ({SESSION}) as s")
    await until("it hears nothing", lambda: not listener.listening.is_set())
    await until("it listens again", listener.listening.is_set)
    assert refusals == []
    await connection.execute("select pg_notify('headrace', 'work')")
    await until("it hears", lambda: "work" in heard)
    await listener.stop()


async def test_a_listener_whose_hearer_fails_comes_back(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[str] = []

    def hear(payload: str) -> None:
        heard.append(payload)
        if len(heard) == 1:
            raise ValueError("not now")

    listener = Listener(Endpoint(database_url), {"headrace": hear})
    listener.start()
    await until("it looks once more", lambda: len(heard) == 2 and listener.listening.is_set())
    assert "not now" in caplog.text
    await listener.stop()
