"""Overlap: what a due time does while an earlier job of its trigger is live. Never are two live."""

from __future__ import annotations

import asyncio

import pytest
from tests.at_once import Another
from tests.engine import Engine
from tests.triggers.triggering import FAILED, Hourly, end_jobs, hourly, jobs, live, tick

from headrace.model.job.outcome import Canceled, Failed, Snooze


async def test_allow_fires_beside_what_is_live(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.fire()
    await trigger.next_hour()
    assert await trigger.reasons() == ["fired", "fired"]
    assert await live(engine) == 2
    assert await engine.db.fetchval("select count(overlap_id) from headrace.queue") == 0


async def test_skip_fires_only_when_nothing_is_live(engine: Engine) -> None:
    trigger = await hourly(engine, overlap="skip")
    await trigger.fire()
    await trigger.next_hour()
    assert await trigger.reasons() == ["fired", "overlap"]
    assert (await trigger.row())["next_run_at"] == trigger.next
    await end_jobs(engine)
    await trigger.next_hour()
    assert await trigger.reasons() == ["fired", "overlap", "fired"]
    assert (await trigger.row())["fires"] == 2


async def test_another_triggers_job_is_not_in_the_way(engine: Engine) -> None:
    one, other = await hourly(engine, "one", overlap="skip"), await hourly(engine, "other", overlap="skip")
    await one.fire()
    await engine.enqueue()
    await other.fire()
    assert await other.reasons() == ["fired"]


@pytest.mark.parametrize("outcome", [Failed("again"), Snooze(60)])
async def test_a_job_in_backoff_or_snoozed_is_live(engine: Engine, outcome: Failed | Snooze) -> None:
    trigger = await hourly(engine, overlap="skip")
    await trigger.fire()
    await end_jobs(engine, outcome)
    assert await engine.db.fetchval("select status::text from headrace.queue") == "scheduled"
    await trigger.next_hour()
    assert await trigger.reasons() == ["fired", "overlap"]


async def test_a_running_job_is_live(engine: Engine) -> None:
    trigger = await hourly(engine, overlap="skip")
    await trigger.fire()
    await engine.claim(await engine.worker())
    await trigger.next_hour()
    assert await trigger.reasons() == ["fired", "overlap"]


@pytest.mark.parametrize("overlap", ["skip", "queue_one", "cancel_running"])
async def test_a_retried_job_is_live_again(engine: Engine, overlap: str) -> None:
    trigger = await hourly(engine, overlap=overlap)
    await trigger.fire()
    await end_jobs(engine, FAILED)
    (job,) = await jobs(engine, trigger.id)
    assert await engine.db.fetchval("select headrace.retry($1)", job["id"])
    assert await engine.db.fetchval("select overlap_id from headrace.queue") == trigger.id
    await trigger.pass_hour()
    await trigger.come_due()
    worker = await engine.worker()
    await engine.claim(worker)
    await tick(engine)
    assert len(await jobs(engine, trigger.id)) == 1


@pytest.mark.parametrize("overlap", ["skip", "queue_one", "cancel_running"])
async def test_all_with_an_overlap_policy_fires_one(engine: Engine, overlap: str) -> None:
    trigger = await hourly(engine, overlap=overlap, catch_up="all")
    await trigger.fire(4)
    fired = {"skip": -4, "queue_one": -4, "cancel_running": -1}[overlap]
    assert await trigger.fired() == trigger.hours(fired)
    expected = {
        "skip": ["fired", "overlap", "overlap", "overlap"],
        "queue_one": ["fired", "overlap", "overlap"],
        "cancel_running": ["superseded", "superseded", "superseded", "fired"],
    }
    assert await trigger.reasons() == expected[overlap]
    assert (await trigger.row())["pending_due_at"] == (trigger.hour(-3) if overlap == "queue_one" else None)
    assert await live(engine) == 1


async def test_queue_one_keeps_the_first_that_waits_and_fires_it_when_the_other_has_ended(engine: Engine) -> None:
    trigger = await hourly(engine, overlap="queue_one")
    await trigger.fire()
    await trigger.next_hour()
    assert (await trigger.row())["pending_due_at"] == trigger.hour(-1)
    assert await trigger.reasons() == ["fired"]
    await trigger.next_hour()
    assert (await trigger.row())["pending_due_at"] == trigger.hour(-2)
    assert await trigger.reasons() == ["fired", "overlap"]
    assert await tick(engine) == 0
    await end_jobs(engine)
    assert await tick(engine) == 1
    assert await live(engine) == 1
    found = await trigger.row()
    assert (found["pending_due_at"], found["fires"], found["next_run_at"]) == (None, 2, trigger.next)
    assert found["last_run_at"] == trigger.hour(-2)
    assert await trigger.reasons() == ["fired", "fired", "overlap"]
    assert await tick(engine) == 0


async def test_what_waits_fires_once_however_many_schedulers_look(engine: Engine, another: Another) -> None:
    trigger = await hourly(engine, overlap="queue_one")
    await trigger.fire()
    await trigger.next_hour()
    await end_jobs(engine)
    await asyncio.gather(*[tick(engine, await another()) for _ in range(4)])
    assert await live(engine) == 1
    assert (await trigger.row())["fires"] == 2


async def test_cancel_running_cancels_and_starts_the_newest_when_the_old_has_ended(engine: Engine) -> None:
    trigger = await hourly(engine, overlap="cancel_running")
    await trigger.fire()
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    await trigger.next_hour()
    assert await engine.db.fetchval("select cancel_requested from headrace.queue")
    assert (await trigger.row())["pending_due_at"] == trigger.hour(-1)
    # It still runs: nothing starts beside it, and a newer due time takes the place of the one that waits.
    await trigger.next_hour()
    assert (await trigger.row())["pending_due_at"] == trigger.hour(-1)
    assert await trigger.reasons() == ["fired", "superseded"]
    assert await live(engine) == 1
    await engine.finish(worker, held, Canceled("told to"))
    await tick(engine)
    assert await trigger.reasons() == ["fired", "superseded", "fired"]
    assert await live(engine) == 1


async def test_cancel_running_takes_a_job_that_only_waits_out_of_the_queue(engine: Engine) -> None:
    trigger = await hourly(engine, overlap="cancel_running")
    await trigger.fire()
    await trigger.next_hour()
    assert await live(engine) == 0
    await tick(engine)
    assert await trigger.reasons() == ["fired", "fired"]
    first, second = await jobs(engine, trigger.id)
    statuses = {await engine.status(first["id"]), await engine.status(second["id"])}
    assert statuses == {"canceled", "queued"}


async def waiting(engine: Engine, overlap: str = "queue_one") -> Hourly:
    """A trigger with a job that runs, and a due time that waits for its end."""
    trigger = await hourly(engine, overlap=overlap)
    await trigger.fire()
    await engine.claim(await engine.worker())
    await trigger.next_hour()
    assert (await trigger.row())["pending_due_at"] == trigger.hour(-1)
    return trigger


@pytest.mark.parametrize("overlap", ["queue_one", "cancel_running"])
async def test_disabling_drops_what_waits_and_writes_it_down(engine: Engine, overlap: str) -> None:
    trigger = await waiting(engine, overlap)
    await trigger.change(enabled=False)
    assert (await trigger.row())["pending_due_at"] is None
    assert await trigger.reasons() == ["fired", "disabled"]
    assert (await trigger.fires())[-1].due_at == trigger.hour(-1)
    await engine.db.execute("delete from headrace.queue")
    assert await tick(engine) == 0
    await trigger.change(enabled=True)
    await tick(engine)
    assert await trigger.reasons() == ["fired", "disabled"]


async def test_an_edit_of_the_rule_drops_what_waits_and_one_of_the_payload_does_not(engine: Engine) -> None:
    trigger = await waiting(engine)
    await trigger.change(payload='{"new": true}')
    assert (await trigger.row())["pending_due_at"] == trigger.hour(-1)
    await trigger.change(every_seconds=1800.0)
    assert (await trigger.row())["pending_due_at"] is None
    assert await trigger.reasons() == ["fired", "edited"]


async def test_deleting_a_trigger_writes_down_what_waited(engine: Engine) -> None:
    trigger = await waiting(engine)
    await engine.db.execute("delete from headrace.trigger")
    assert await trigger.reasons() == ["fired", "deleted"]


async def test_what_waits_fires_at_once_when_the_policy_becomes_allow(engine: Engine) -> None:
    trigger = await waiting(engine)
    await trigger.change(overlap="allow")
    await trigger.next_hour()
    assert await trigger.reasons() == ["fired", "fired", "fired"]
    assert (await trigger.row())["pending_due_at"] is None


@pytest.mark.parametrize("overlap", ["skip", "queue_one", "cancel_running"])
async def test_schedulers_at_once_never_make_two_live(engine: Engine, another: Another, overlap: str) -> None:
    triggers = [await hourly(engine, f"t{n}", overlap=overlap) for n in range(6)]
    connections = [await another() for _ in range(3)]
    for _ in range(4):
        for trigger in triggers:
            await trigger.pass_hour()
            await trigger.come_due()
        await asyncio.gather(*(tick(engine, conn) for conn in connections))
        most = await engine.db.fetchval(
            "select max(n) from (select count(*) as n from headrace.queue group by overlap_id) as live"
        )
        assert most is None or most == 1
