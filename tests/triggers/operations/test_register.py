"""`hr.register` and `hr.unregister` without a worker: what is kept, what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.worker.running import app_on

from headrace.db.connect import Connection
from headrace.errors import BadRequest, Conflict, NotFound


async def tick() -> None: ...


async def trigger(connection: Connection, name: str = "tick") -> dict[str, Any]:
    row = await connection.fetchrow("select * from headrace.trigger where name = $1", name)
    return dict(row) if row else {}


async def test_what_another_process_removed_can_be_registered_again(database_url: str) -> None:
    async with app_on(database_url) as one, app_on(database_url) as two:
        await one.register(tick, key="tick", every=3600)
        await two.unregister("tick")
        with pytest.raises(NotFound, match='tenant "default" has no registered job "tick"'):
            await one.unregister("tick")
        await one.register(tick, key="tick", every=3600)


async def test_a_key_that_another_app_declares_is_refused_and_stays_as_it_is(
    connection: Connection, database_url: str
) -> None:
    billing = app_on(database_url, "billing")

    @billing.job("tick")
    async def charge(amount: int) -> None: ...

    said = "definition 'tick' is a job of app 'billing' already, and this is app 'shop at run time': "
    declared = "select app, payload_schema::text, hash from headrace.definition where key = 'tick'"
    async with billing, app_on(database_url, "shop") as shop:
        before = await connection.fetchrow(declared)
        with pytest.raises(Conflict, match=said):
            await shop.register(tick, key="tick", every=3600)
        assert await connection.fetchrow(declared) == before
        assert await trigger(connection) == {}


async def test_a_declared_job_is_registered_with_a_payload_under_any_key(
    connection: Connection, database_url: str
) -> None:
    hr, start = app_on(database_url), datetime(2030, 1, 1, tzinfo=UTC)

    @hr.job
    async def greet(name: str) -> None: ...

    async with hr:
        await hr.register(greet, key="greet ada", every=60, payload={"name": "ada"}, starts_at=start)
        made = await hr.control.triggers.get("greet ada")
        assert (made.definition, made.settings["payload"]) == ("greet", {"name": "ada"})
        assert (made.settings["starts_at"], made.settings["every_seconds"]) == (start, 60)
        with pytest.raises(BadRequest, match="'greet' is already declared as a job"):
            await hr.register(greet, key="greet bob", every=3600, queue="mail")
        await hr.unregister("greet ada")
    assert await trigger(connection, "greet ada") == {}


async def test_what_will_not_do_is_refused_and_leaves_nothing(connection: Connection, database_url: str) -> None:
    async with app_on(database_url) as hr:
        bad: list[tuple[type[Exception], str, dict[str, Any]]] = [
            (BadRequest, "from 0.1 to", {"every": 0}),
            (BadRequest, "from 0.1 to", {"every": timedelta(seconds=-1)}),
            (BadRequest, "from 0.1 to", {"every": 0.001}),
            (BadRequest, "starts_at is a time with a time zone", {"starts_at": datetime(2030, 1, 1)}),
            (NotFound, 'unknown tenant "nobody"', {"tenant": "nobody"}),
            (BadRequest, "overlap", {"overlap": "never"}),
            (BadRequest, "payload", {"payload": {"n": "{{a |"}}),
        ]
        for error, words, options in bad:
            with pytest.raises(error, match=words):
                await hr.register(tick, **{"key": "tick", "every": 3600, **options})
        assert await trigger(connection) == {}
        assert "tick" not in hr.handlers
        assert await connection.fetchval("select count(*) from headrace.definition") == 0
        async with hr.database.pool.acquire() as conn:
            await conn.execute(
                "insert into headrace.definition (key, kind, app, hash) values ('by_hand', 'python', 'x', '-')"
            )
        await hr.control.triggers.create("tick", "by_hand", cron="@daily")
        with pytest.raises(Conflict, match='has a trigger "tick" that was not registered at run time'):
            await hr.register(tick, key="tick", every=3600)
        with pytest.raises(NotFound, match='has no registered job "tick"'):
            await hr.unregister("tick")
