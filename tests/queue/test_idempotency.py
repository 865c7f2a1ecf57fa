"""An idempotency key gives the same job, however often and however concurrently it is asked."""

from __future__ import annotations

import asyncio
from uuid import UUID

import asyncpg
import pytest
from tests.at_once import Another, refusal, until_blocked
from tests.engine import Engine

from headrace.db.connect import Connection

ONE = "select headrace.enqueue('work', idempotency_key => 'k')"


async def bulk(conn: Connection, keys: list[str | None], dedupe: list[str | None] | None = None) -> list[UUID]:
    rows = await conn.fetch(
        "select headrace.enqueue_many('work', array_fill('{}'::jsonb, array[$3::int]), idempotency_keys => $1,"
        " dedupe_keys => $2)",
        keys,
        dedupe,
        len(keys),
    )
    return [row[0] for row in rows]


async def count(engine: Engine, table: str = "job") -> int:
    return int(await engine.db.fetchval(f"select count(*) from headrace.{table}"))


async def test_the_same_key_gives_the_same_job(engine: Engine) -> None:
    first = await engine.enqueue(idempotency_key="k")
    assert await engine.enqueue(idempotency_key="k") == first
    assert await engine.enqueue(idempotency_key="other") != first
    assert await engine.enqueue() != first
    assert (await count(engine), await count(engine, "queue")) == (3, 3)


async def test_the_key_holds_after_the_job_has_ended(engine: Engine) -> None:
    first = await engine.enqueue(idempotency_key="k")
    worker = await engine.worker()
    await engine.finish(worker, await engine.claim(worker))
    assert await engine.enqueue(idempotency_key="k") == first
    assert await engine.status(first) == "succeeded"
    assert await count(engine, "queue") == 0


async def test_another_payload_or_definition_under_the_same_key_is_a_conflict(engine: Engine) -> None:
    await engine.enqueue(payload='{"a": 1, "b": 2}', idempotency_key="k")
    await engine.define("other")
    before = await count(engine)
    for call in (
        engine.enqueue(payload='{"a": 2}', idempotency_key="k"),
        engine.enqueue("other", payload='{"a": 1, "b": 2}', idempotency_key="k"),
    ):
        error = await refusal(call)
        assert error.sqlstate == "HR409"
        assert 'idempotency key "k"' in str(error)
    assert (await count(engine), await count(engine, "queue"), await count(engine, "idempotency")) == (before, 1, 1)


async def test_the_same_payload_written_otherwise_is_the_same_request(engine: Engine) -> None:
    first = await engine.enqueue(payload='{"a": 1, "b": 2}', idempotency_key="k")
    assert await engine.enqueue(payload='{"b":2,"a":1}', idempotency_key="k") == first


async def test_each_tenant_has_keys_of_its_own(engine: Engine) -> None:
    await engine.db.execute("insert into headrace.tenant (name) values ('acme')")
    ours = await engine.enqueue(idempotency_key="k")
    theirs = await engine.enqueue(idempotency_key="k", tenant="acme", payload='{"other": true}')
    assert ours != theirs
    assert await engine.enqueue(idempotency_key="k", tenant="acme", payload='{"other": true}') == theirs


async def test_twenty_callers_at_once_get_one_job(engine: Engine, another: Another) -> None:
    await engine.define()
    callers = [await another() for _ in range(20)]
    ids = await asyncio.gather(*(caller.fetchval(ONE) for caller in callers))
    assert len(set(ids)) == 1
    assert (await count(engine), await count(engine, "queue")) == (1, 1)
    assert await engine.status(ids[0]) == "queued"


@pytest.mark.parametrize("commits", [True, False])
async def test_the_second_caller_waits_for_the_first_and_follows_its_fate(
    engine: Engine, another: Another, commits: bool
) -> None:
    await engine.enqueue()
    first, second = await another(), await another()
    transaction = first.transaction()
    await transaction.start()
    firsts = await first.fetchval(ONE)
    waiting = asyncio.create_task(second.fetchval(ONE))
    await until_blocked(engine.db, second, first)
    await (transaction.commit() if commits else transaction.rollback())
    seconds = await waiting
    assert (seconds == firsts) is commits
    assert await engine.status(seconds) == "queued"
    assert await count(engine) == 2


async def test_under_repeatable_read_the_loser_sees_a_serialization_failure(engine: Engine, another: Another) -> None:
    await engine.enqueue()
    loser = await another()
    async with loser.transaction(isolation="repeatable_read"):
        await loser.fetchval("select count(*) from headrace.job")
        winners = await engine.enqueue(idempotency_key="k")
        with pytest.raises(asyncpg.SerializationError):
            async with loser.transaction():
                await loser.fetchval(ONE)
    assert await loser.fetchval(ONE) == winners


async def test_a_bulk_gives_equal_keys_one_job_and_no_key_a_job_each(engine: Engine) -> None:
    held = await engine.enqueue(idempotency_key="held")
    ids = await bulk(engine.db, ["b", None, "a", "held", "b", None, "held"])
    assert ids[0] == ids[4]
    assert ids[3] == ids[6] == held
    assert len(set(ids)) == 5
    assert (await count(engine), await count(engine, "queue"), await count(engine, "idempotency")) == (5, 5, 3)
    assert await bulk(engine.db, ["a", "b", "held"]) == [ids[2], ids[0], held]


async def test_an_idempotency_key_stands_for_the_job_that_a_dedupe_key_led_to(engine: Engine) -> None:
    holder = await engine.enqueue(dedupe_key="d")
    assert await engine.enqueue(dedupe_key="d", idempotency_key="k") == holder
    worker = await engine.worker()
    await engine.finish(worker, await engine.claim(worker))
    assert await engine.enqueue(dedupe_key="d", idempotency_key="k") == holder
    assert await count(engine) == 1


async def test_two_requests_of_a_bulk_share_a_key_whose_job_an_earlier_one_stands_for(engine: Engine) -> None:
    holder = await engine.enqueue(dedupe_key="d")
    assert await bulk(engine.db, ["k", "k", "l"], ["d", "d", "d"]) == [holder] * 3
    assert (await count(engine), await count(engine, "queue")) == (1, 1)
    rows = await engine.db.fetch("select key, job_id from headrace.idempotency order by key")
    assert [tuple(row) for row in rows] == [("k", holder), ("l", holder)]


async def test_a_bulk_with_both_kinds_of_keys_settles_each_request(engine: Engine) -> None:
    known = await engine.enqueue(idempotency_key="known")
    live = await engine.enqueue(dedupe_key="live")
    ids = await bulk(
        engine.db,
        ["known", "new", "new", None, "fresh", None, "other"],
        ["live", "live", "x", "live", "y", "y", None],
    )
    assert ids[:4] == [known, live, live, live]
    assert ids[4] == ids[5]
    assert len({*ids}) == 4
    assert await count(engine) == await count(engine, "queue") == 4
    assert await bulk(engine.db, ["new", "fresh", "other"]) == [live, ids[4], ids[6]]


async def test_two_bulks_with_the_same_keys_in_opposite_order_do_not_deadlock(engine: Engine, another: Another) -> None:
    await engine.enqueue()
    blocker, backward, forward = await another(), await another(), await another()
    transaction = blocker.transaction()
    await transaction.start()
    await bulk(blocker, ["z"])
    one = asyncio.create_task(bulk(backward, ["z", "a"]))
    await until_blocked(engine.db, backward, blocker)
    # It has taken "a" before it waits for "z", though it was given "z" first: so the other waits for it, in order.
    two = asyncio.create_task(bulk(forward, ["a", "z"]))
    await until_blocked(engine.db, forward, backward)
    await transaction.rollback()
    (z, a), (also_a, also_z) = await one, await two
    assert (a, z) == (also_a, also_z)
