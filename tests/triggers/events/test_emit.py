"""Emit: an event in whatever transaction the caller has open, or a clear refusal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import psycopg
import pytest
from tests.app import brought
from tests.app.brought import Brought
from tests.engine import Engine
from tests.worker.running import app_on

from headrace import Headrace
from headrace.errors import BadRequest, Conflict, NotFound, PayloadTooLarge, ValidationError
from headrace.triggers.prune import prune_events

Bring = Callable[[str], AbstractAsyncContextManager[Brought]]
every_driver = pytest.mark.parametrize(
    "bring",
    [
        brought.asyncpg_connection,
        brought.asyncpg_pool_proxy,
        brought.psycopg_connection,
        brought.psycopg_async_connection,
        brought.sqlalchemy_connection,
        brought.sqlalchemy_session,
        brought.sqlalchemy_async_connection,
        brought.sqlalchemy_async_session,
    ],
    ids=lambda bring: bring.__name__,
)


@pytest.fixture
async def hr(engine: Engine) -> AsyncIterator[Headrace]:
    async with app_on(engine.endpoint.url) as hr:
        yield hr


async def exists(engine: Engine, event_id: UUID) -> bool:
    rows = await engine.db.fetchval(
        "select (select count(*) from headrace.event where id = $1)"
        "     + (select count(*) from headrace.event_inbox where event_id = $1)",
        event_id,
    )
    assert rows in (0, 2)  # the event and its place in the inbox, or neither
    return bool(rows)


async def written(engine: Engine) -> int:
    n: int = await engine.db.fetchval(
        "select (select count(*) from headrace.event) + (select count(*) from headrace.event_inbox)"
    )
    return n


@every_driver
async def test_an_event_exists_if_and_only_if_the_callers_transaction_commits(
    engine: Engine, hr: Headrace, bring: Bring
) -> None:
    async with bring(engine.endpoint.url) as given:
        event_id = await hr.emit("order.paid", {"n": 1, "ü": "100% :p1 $1"}, connection=given.connection)
        assert isinstance(event_id, UUID)
        assert not await exists(engine, event_id)
        await given.commit()
    assert await exists(engine, event_id)
    data = await engine.db.fetchval("select data from headrace.event where id = $1", event_id)
    assert data == '{"n": 1, "ü": "100% :p1 $1"}'
    async with bring(engine.endpoint.url) as given:
        event_id = await hr.emit("order.paid", connection=given.connection)
        await given.rollback()
    assert not await exists(engine, event_id)


async def test_twenty_callers_with_one_key_publish_one_event_and_its_key_is_free_once_it_is_pruned(
    engine: Engine, hr: Headrace
) -> None:
    ids = await asyncio.gather(*(hr.emit("order.paid", {"n": 1}, idempotency_key="k") for _ in range(20)))
    assert set(ids) == {ids[0]}
    assert await written(engine) == 2
    with pytest.raises(Conflict, match='"k" was used before with another event name or data'):
        await hr.emit("order.paid", {"n": 2}, idempotency_key="k")
    with pytest.raises(BadRequest, match="1 to 500 characters, not 0"):
        await hr.emit("order.paid", {"n": 1}, idempotency_key="")
    assert await engine.db.fetchval("""select headrace.emit_once('order.paid', '{"n": 1}', 'k')""") == ids[0]
    await engine.db.execute("delete from headrace.event_inbox")
    await prune_events(engine.db, keep=timedelta(days=-1))
    assert await hr.emit("order.paid", {"n": 2}, idempotency_key="k") != ids[0]


@every_driver
async def test_a_key_is_taken_if_and_only_if_the_callers_transaction_commits(
    engine: Engine, hr: Headrace, bring: Bring
) -> None:
    ids = []
    for commits in (False, True, True):
        async with bring(engine.endpoint.url) as given:
            ids.append(await hr.emit("order.paid", idempotency_key="k", connection=given.connection))
            await (given.commit() if commits else given.rollback())
    assert ids[0] != ids[1] == ids[2]


async def test_an_event_keeps_what_was_said_of_it(engine: Engine, hr: Headrace) -> None:
    await engine.db.execute("insert into headrace.tenant (name) values ('acme')")
    event_id = await hr.emit("a.b", {"deep": [{"n": 1.5}, None, True]}, tenant="acme", correlation_id="order 7")
    row = await engine.db.fetchrow(
        "select e.name, data, t.name as tenant, correlation_id, clock_timestamp() - emitted_at < interval '1 minute'"
        "  from headrace.event as e join headrace.tenant as t on t.id = e.tenant_id where e.id = $1",
        event_id,
    )
    assert tuple(row or ()) == ("a.b", '{"deep": [{"n": 1.5}, null, true]}', "acme", "order 7", True)
    assert await hr.emit("a.b") > event_id


async def test_the_facade_emits_on_its_own_and_in_a_brought_transaction(engine: Engine, hr: Headrace) -> None:
    try:
        assert await exists(engine, hr.blocking.emit("order.paid", {"n": 1}))
        with psycopg.connect(engine.endpoint.url) as connection:
            event_id = hr.blocking.emit("order.paid", connection=connection)
            connection.rollback()
            assert not await exists(engine, event_id)
            event_id = hr.blocking.emit("order.paid", connection=connection)
            assert not await exists(engine, event_id)
            connection.commit()
        assert await exists(engine, event_id)
        with pytest.raises(BadRequest, match=r"hr\.blocking needs a blocking connection"):
            hr.blocking.emit("order.paid", connection=engine.db)
        with pytest.raises(BadRequest, match='the event name "not good" is not valid'):
            hr.blocking.emit("not good")
    finally:
        hr.blocking.close()


@pytest.mark.parametrize("name", ["", " ", "a b", ".a", "a.", "a..b", "ä", "*", "a.*", "a\n", "a/b", "x" * 201])
async def test_a_name_that_is_none_is_refused_and_nothing_written(engine: Engine, hr: Headrace, name: str) -> None:
    with pytest.raises(BadRequest, match=r"(?s)the event name .* is not valid.* with dots between them"):
        await hr.emit(name)
    assert await written(engine) == 0


@pytest.mark.parametrize("name", ["a", "A-b_1.c", "x" * 200, "0"])
async def test_words_with_dots_between_them_are_a_name(engine: Engine, hr: Headrace, name: str) -> None:
    assert await exists(engine, await hr.emit(name))


@pytest.mark.parametrize(
    "data",
    [{"x": object()}, {"x": float("nan")}, {"x": "a\x00b"}, {"x": "\ud800"}, {"x": {1, 2}}],
    ids=["an object", "not a number", "NUL", "a lone surrogate", "a set"],
)
async def test_data_that_json_cannot_hold_is_refused_by_name(
    engine: Engine, hr: Headrace, data: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError, match=r"the data of event 'order\.paid' cannot be stored"):
        await hr.emit("order.paid", data)
    assert await written(engine) == 0


@pytest.mark.parametrize("data", [[1, 2], [], "text", 7, 0, [("a", 1)]], ids=repr)
async def test_data_that_is_no_object_is_refused_by_name(engine: Engine, hr: Headrace, data: Any) -> None:
    with pytest.raises(ValidationError, match=r"the data of event 'order\.paid'"):
        await hr.emit("order.paid", data)
    assert await written(engine) == 0


async def test_data_beyond_a_megabyte_is_refused(engine: Engine, hr: Headrace) -> None:
    with pytest.raises(ValidationError, match=r"at most 1,000,000"):
        await hr.emit("order.paid", {"x": "x" * 1_000_001})
    with pytest.raises(asyncpg.PostgresError, match="is too large") as refused:
        await engine.db.execute("select headrace.emit('a', jsonb_build_object('x', repeat('x', 1100000)))")
    assert refused.value.sqlstate == "HR413"
    assert PayloadTooLarge.status == 413
    assert await written(engine) == 0


async def test_an_unknown_tenant_is_refused_by_name(engine: Engine, hr: Headrace) -> None:
    with pytest.raises(NotFound, match='unknown tenant "nobody"'):
        await hr.emit("order.paid", tenant="nobody")
    assert await written(engine) == 0


@pytest.mark.parametrize("data", ["[1]", "1", '"x"', "null"])
async def test_sql_is_refused_data_that_is_no_object(engine: Engine, data: str) -> None:
    with pytest.raises(asyncpg.PostgresError, match='the data of event "a" must be a JSON object') as refused:
        await engine.db.execute("select headrace.emit('a', $1::jsonb)", data)
    assert refused.value.sqlstate == "HR400"
    with pytest.raises(asyncpg.PostgresError, match="must be a JSON object"):
        await engine.db.execute("select headrace.emit('a', null)")
    assert await written(engine) == 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ('{"a":' * 201 + "1" + "}" * 201, "it is nested more than 200 deep"),
        ('{"a": 1e4300}', "it has a number of more than 4300 digits"),
    ],
    ids=["deep", "digits"],
)
async def test_sql_is_refused_data_that_no_trigger_could_read(engine: Engine, data: str, words: str) -> None:
    with pytest.raises(asyncpg.PostgresError, match=words) as refused:
        await engine.db.execute("select headrace.emit('a', $1::jsonb)", data)
    assert refused.value.sqlstate == "HR400"
    assert await written(engine) == 0
