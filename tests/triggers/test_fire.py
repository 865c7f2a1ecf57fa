"""Fire: a due time becomes one job and one fire, and the trigger moves on."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest
from tests.at_once import Another
from tests.engine import Engine
from tests.triggers.triggering import HOUR, Line, add, hourly, jobs, live, reasons, row, shift_fires, tick
from tests.waiting import until

from headrace.triggers.fire import fire_due
from headrace.triggers.rules import Rules


async def test_a_due_time_becomes_a_job_that_says_where_it_comes_from(engine: Engine) -> None:
    trigger = await hourly(engine, payload={"at": "{{scheduled_for}}", "by": "{{trigger.name}} of {{tenant}}"})
    await trigger.fire()
    (job,) = await jobs(engine, trigger.id)
    assert (job["source"], job["source_ref"], job["scheduled_for"]) == ("scheduler", trigger.id, trigger.hour(-1))
    assert json.loads(job["payload"]) == {"at": trigger.hour(-1).isoformat(), "by": "hourly of default"}
    assert (job["priority"], job["max_attempts"]) == (100, 4)
    assert await engine.status(job["id"]) == "queued"
    fire = await engine.db.fetchrow("select * from headrace.fire")
    assert fire is not None
    assert [fire[name] for name in ("trigger_id", "due_at", "outcome", "reason", "job_id", "occasion")] == [
        *(trigger.id, trigger.hour(-1), "fired", None, job["id"], "")
    ]


async def test_a_trigger_may_say_queue_priority_and_attempts_itself(engine: Engine) -> None:
    await engine.define(queue="slow", priority=7, max_attempts=9)
    plain = await hourly(engine, "plain")
    own = await hourly(engine, "own", queue="fast", priority=3, max_attempts=2)
    for trigger in (plain, own):
        await trigger.fire()
    rows = await engine.db.fetch(
        "select lane.queue, q.priority, q.max_attempts, job.priority, job.max_attempts from headrace.queue as q"
        " join headrace.lane on lane.id = q.lane_id join headrace.job on job.id = q.job_id order by lane.queue"
    )
    assert [tuple(found) for found in rows] == [("fast", 3, 2, 3, 2), ("slow", 7, 9, 7, 9)]
    assert (await jobs(engine, own.id))[0]["lane_id"] != (await jobs(engine, plain.id))[0]["lane_id"]


async def test_the_job_is_its_tenants(engine: Engine) -> None:
    acme = await engine.db.fetchval("insert into headrace.tenant (name) values ('acme') returning id")
    trigger = await hourly(engine, tenant_id=acme, payload={"for": "{{tenant}}"})
    await trigger.fire()
    (job,) = await jobs(engine, trigger.id)
    assert (job["tenant_id"], json.loads(job["payload"])) == (acme, {"for": "acme"})
    assert await engine.db.fetchval("select tenant_id from headrace.queue") == acme


async def test_a_trigger_moves_on_and_counts(engine: Engine) -> None:
    trigger = await hourly(engine, last_error="once upon a time")
    await trigger.fire()
    found = await trigger.row()
    assert [found[name] for name in ("next_run_at", "fire_at")] == trigger.hours(0, 0)
    assert (found["fires"], found["runs"], found["last_run_at"]) == (1, 1, trigger.hour(-1))
    assert (found["last_error"], found["version"], found["pending_due_at"]) == (None, 1, None)
    assert await tick(engine) == 0


async def test_nothing_fires_before_its_time(engine: Engine) -> None:
    trigger = await hourly(engine)
    assert await tick(engine) == 0
    assert await trigger.fired() == []
    assert (await trigger.row())["next_run_at"] == trigger.next


async def test_a_worker_that_sleeps_is_woken_once_for_a_batch(engine: Engine, another: Another) -> None:
    heard: list[object] = []
    listening = await another()
    await listening.add_listener("headrace", lambda *said: heard.append(said[-1]))
    worker = await engine.worker()
    await engine.db.execute("update headrace.worker set armed = true where id = $1", worker)
    for name in ("a", "b"):
        await (await hourly(engine, name)).come_due()
    await listening.fetchval("select 1")
    heard.clear()
    await fire_due(engine.db, Rules())
    await listening.fetchval("select 1")
    assert heard.count("work") == 1
    await listening.reset()


async def test_jobs_are_queued_in_the_order_of_their_due_times(engine: Engine) -> None:
    late = await hourly(engine, "a", late=timedelta(seconds=5))
    early = await hourly(engine, "b", late=timedelta(seconds=45))
    for trigger in (late, early):
        await trigger.come_due()
    await tick(engine)
    rows = await engine.db.fetch("select source_ref from headrace.queue join headrace.job on id = job_id order by seq")
    assert [found[0] for found in rows] == [early.id, late.id]


async def test_a_batch_takes_what_has_been_due_longest(engine: Engine) -> None:
    triggers = [await hourly(engine, f"late by {n}", late=timedelta(seconds=n)) for n in (10, 50, 30)]
    for trigger in triggers:
        await trigger.come_due()
    assert await fire_due(engine.db, Rules(), batch=2) == 2
    assert [len(await trigger.fired()) for trigger in triggers] == [0, 1, 1]
    assert await fire_due(engine.db, Rules(), batch=2) == 1


@pytest.mark.parametrize("schedulers", [2, 5])
async def test_however_many_schedulers_look_at_once_a_due_time_has_one_job(
    engine: Engine, another: Another, schedulers: int
) -> None:
    triggers = [await hourly(engine, f"t{n}", catch_up="all") for n in range(20)]
    for trigger in triggers:
        await trigger.come_due(3)
    connections = [await another() for _ in range(schedulers)]
    await asyncio.gather(*(tick(engine, conn) for conn in connections))
    await tick(engine)
    for trigger in triggers:
        assert await trigger.fired() == trigger.hours(-3, -2, -1)
        assert (await trigger.row())["fires"] == 3
    assert await live(engine) == 60


async def test_schedulers_that_compute_at_once_do_so_once(engine: Engine, another: Another) -> None:
    trigger_id = await add(engine, every_seconds=3600.0)
    connections = [await another() for _ in range(4)]
    await asyncio.gather(*(tick(engine, conn) for conn in connections))
    await tick(engine)
    assert await reasons(engine, trigger_id) == ["fired"]
    assert len(await jobs(engine, trigger_id)) == 1


async def test_schedulers_share_what_is_due_instead_of_waiting(engine: Engine, another: Another) -> None:
    await engine.enqueue()  # so that its lane is there: whoever makes one lets others wait
    for n in range(5):
        await (await hourly(engine, f"t{n}")).come_due()
    first, second = await another(), await another()
    async with first.transaction():
        assert await fire_due(first, Rules(), batch=3) == 3
        assert await fire_due(second, Rules(), batch=3) == 2
    assert await live(engine) == 6


async def test_a_due_time_that_stands_among_the_fires_does_not_fire_again_and_does_not_stall(engine: Engine) -> None:
    trigger, other = await hourly(engine, "again"), await hourly(engine, "other")
    await trigger.fire()
    await trigger.come_due()
    await other.come_due()
    assert await tick(engine) == 2
    assert await trigger.fired() == trigger.hours(-1)
    assert await other.fired() == other.hours(-1)
    found = await trigger.row()
    assert (found["next_run_at"], found["fires"]) == (trigger.next, 1)
    assert await tick(engine) == 0


async def test_a_stretch_that_begins_with_a_time_among_the_fires_still_covers_the_rest(engine: Engine) -> None:
    trigger = await hourly(engine, catch_up="latest")
    first, last = trigger.hours(-4, -2)
    await engine.db.execute(
        "insert into headrace.fire (trigger_id, due_at, outcome, reason, triggered_by)"
        " values ($1, $2, 'skipped', 'skip_next', 'manual')",
        trigger.id,
        first,
    )
    await trigger.come_due(4)
    await tick(engine)
    stretch = await engine.db.fetchrow("select due_at, until, n from headrace.fire where until is not null")
    assert stretch is not None
    assert (stretch["due_at"], stretch["until"], stretch["n"]) == (first + timedelta(microseconds=1), last, 2)


async def test_times_that_fired_while_the_clock_was_ahead_do_not_fire_again(engine: Engine) -> None:
    trigger = await hourly(engine, catch_up="all")
    await trigger.fire(3)
    # The clock was two hours ahead and is right again, and somebody turns the trigger off and on.
    await trigger.change(enabled=False)
    await shift_fires(engine, trigger.id, 2 * HOUR)
    await trigger.change(enabled=True)
    await tick(engine)
    assert (await trigger.row())["next_run_at"] == trigger.next
    # Two of the three come again.
    await shift_fires(engine, trigger.id, -3 * HOUR)
    await trigger.come_due(3)
    await tick(engine)
    assert [line.due_at for line in await trigger.fires()] == trigger.hours(-4, -3, -2, -1)
    assert (await trigger.row())["fires"] == 4


async def test_a_due_time_that_a_newer_zone_database_moved_does_not_fire_at_the_old_time(engine: Engine) -> None:
    trigger = await hourly(engine)
    stale = trigger.hour(-1) - timedelta(minutes=20)
    await engine.db.execute("update headrace.trigger set next_run_at = $1, fire_at = $1", stale)
    await tick(engine)
    assert await trigger.fires() == [Line(trigger.hour(-1), "fired")]
    stale = trigger.hour(-1) + timedelta(milliseconds=1)
    await engine.db.execute("update headrace.trigger set next_run_at = $1, fire_at = $1", stale)
    await tick(engine)
    assert await trigger.fired() == trigger.hours(-1)
    assert (await row(engine, trigger.id))["next_run_at"] == trigger.hour(-1) + HOUR


async def test_a_batch_that_is_cut_off_leaves_nothing_behind_and_is_fired_whole_later(
    engine: Engine, another: Another
) -> None:
    trigger = await hourly(engine)
    await trigger.come_due()
    doomed = await another()
    transaction = doomed.transaction()
    await transaction.start()
    assert await fire_due(doomed, Rules()) == 1
    assert await tick(engine) == 0
    await engine.db.execute("select pg_terminate_backend($1)", doomed.get_server_pid())
    assert await engine.db.fetchval("select count(*) from headrace.fire") == 0
    doomed.terminate()

    async def fires() -> bool:
        return await tick(engine) > 0

    await until("its locks are gone", fires)
    assert await trigger.fired() == trigger.hours(-1)
