"""A dedupe key stands for one live job: while it lives, or only while it waits."""

from __future__ import annotations

import asyncio
from uuid import UUID

import asyncpg
import pytest
from tests.at_once import Another, held_after_insert, until_blocked
from tests.engine import Engine

from headrace.db.connect import Connection
from headrace.model.job.outcome import Failed, Released

ONE = "select headrace.enqueue('work', dedupe_key => 'k')"


async def bulk(conn: Connection, keys: list[str | None]) -> list[UUID]:
    rows = await conn.fetch(
        "select headrace.enqueue_many('work', array_fill('{}'::jsonb, array[$2::int]), dedupe_keys => $1)",
        keys,
        len(keys),
    )
    return [row[0] for row in rows]


async def records_and_queue_rows(engine: Engine) -> tuple[int, int]:
    """Jobs there are, and live ones that have their record."""
    jobs = await engine.db.fetchval("select count(*) from headrace.job")
    live = await engine.db.fetchval("select count(*) from headrace.queue")
    assert live == await engine.db.fetchval("select count(*) from headrace.queue join headrace.job on id = job_id")
    return jobs, live


async def test_a_key_gives_the_live_job_whatever_the_payload(engine: Engine) -> None:
    first = await engine.enqueue(dedupe_key="k", payload='{"n": 1}')
    assert await engine.enqueue(dedupe_key="k", payload='{"n": 2}') == first
    assert (await engine.job(first)).payload == {"n": 1}
    assert await engine.enqueue(dedupe_key="other") != first
    assert await records_and_queue_rows(engine) == (2, 2)


async def test_a_running_or_rescheduled_job_still_holds_its_key(engine: Engine) -> None:
    first = await engine.enqueue(dedupe_key="k")
    worker = await engine.worker()
    for outcome in (Released(), Failed("once")):
        (held,) = await engine.claim(worker)
        assert await engine.enqueue(dedupe_key="k") == first
        await engine.finish(worker, held, outcome)
        assert await engine.enqueue(dedupe_key="k") == first


async def test_the_key_is_free_when_the_job_has_ended(engine: Engine) -> None:
    first = await engine.enqueue(dedupe_key="k")
    worker = await engine.worker()
    await engine.finish(worker, await engine.claim(worker))
    second = await engine.enqueue(dedupe_key="k")
    assert second != first
    await engine.db.execute("select headrace.cancel($1)", second)
    assert await engine.enqueue(dedupe_key="k") not in (first, second)


async def test_while_waiting_frees_the_key_at_the_claim(engine: Engine) -> None:
    first = await engine.enqueue(dedupe_key="k", dedupe_while="waiting")
    assert await engine.enqueue(dedupe_key="k", dedupe_while="waiting") == first
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    second = await engine.enqueue(dedupe_key="k", dedupe_while="waiting")
    assert second != first
    # The first comes back into the queue beside the second: it does not take the key again.
    await engine.finish(worker, held, Released())
    assert await engine.enqueue(dedupe_key="k", dedupe_while="waiting") == second


async def test_while_waiting_frees_the_key_also_when_several_lanes_are_claimed(engine: Engine) -> None:
    await engine.enqueue("other")
    first = await engine.enqueue(dedupe_key="k", dedupe_while="waiting")
    assert len(await engine.claim(await engine.worker())) == 2
    assert await engine.enqueue(dedupe_key="k", dedupe_while="waiting") != first


async def test_each_tenant_has_keys_of_its_own(engine: Engine) -> None:
    await engine.db.execute("insert into headrace.tenant (name) values ('acme')")
    assert await engine.enqueue(dedupe_key="k") != await engine.enqueue(dedupe_key="k", tenant="acme")


async def test_twenty_callers_at_once_get_one_job(engine: Engine, another: Another) -> None:
    await engine.define()
    callers = [await another() for _ in range(20)]
    ids = await asyncio.gather(*(caller.fetchval(ONE) for caller in callers))
    assert len(set(ids)) == 1
    assert await records_and_queue_rows(engine) == (1, 1)


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
    assert await records_and_queue_rows(engine) == (2, 2)


async def test_under_repeatable_read_the_loser_sees_a_serialization_failure(engine: Engine, another: Another) -> None:
    await engine.enqueue()
    loser = await another()
    async with loser.transaction(isolation="repeatable_read"):
        await loser.fetchval("select count(*) from headrace.job")
        winners = await engine.enqueue(dedupe_key="k")
        with pytest.raises(asyncpg.SerializationError):
            async with loser.transaction():
                await loser.fetchval(ONE)
    assert await loser.fetchval(ONE) == winners


async def test_under_repeatable_read_a_holder_that_ended_meanwhile_gives_way_to_a_whole_new_job(
    engine: Engine, another: Another
) -> None:
    ended = await engine.enqueue(dedupe_key="k")
    worker, caller = await engine.worker(), await another()
    held = await engine.claim(worker)
    async with caller.transaction(isolation="repeatable_read"):
        await caller.fetchval("select count(*) from headrace.job")
        await engine.finish(worker, held)
        ids = await bulk(caller, ["other", "k", "k"])
    assert ids[1] == ids[2]
    assert len({ended, *ids}) == 3
    assert await records_and_queue_rows(engine) == (3, 2)


async def test_a_bulk_gives_equal_keys_one_job_and_no_key_a_job_each(engine: Engine) -> None:
    held = await engine.enqueue(dedupe_key="held")
    ids = await bulk(engine.db, ["b", None, "a", "held", "b", None, "held"])
    assert ids[0] == ids[4]
    assert ids[3] == ids[6] == held
    assert len(set(ids)) == 5
    assert await records_and_queue_rows(engine) == (5, 5)
    assert await bulk(engine.db, ["a", "b", "held"]) == [ids[2], ids[0], held]


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


async def test_a_holder_that_ends_between_insert_and_look_up_leaves_the_key_to_a_new_job(
    engine: Engine, another: Another
) -> None:
    ended = await engine.enqueue(dedupe_key="k")
    worker, caller = await engine.worker(), await another()
    held = await engine.claim(worker)
    async with held_after_insert(engine, caller, another) as keeper:
        asking = asyncio.create_task(bulk(caller, ["k", None, "other"]))
        await until_blocked(engine.db, caller, keeper)
        assert await engine.finish(worker, held) == {ended}
    ids = await asking
    assert len({ended, *ids}) == 4
    assert await records_and_queue_rows(engine) == (4, 3)
    assert await bulk(engine.db, ["k", "other"]) == [ids[0], ids[2]]
