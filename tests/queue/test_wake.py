"""Waking: whoever sleeps is told, and nobody else pays for a notification."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable
from datetime import timedelta
from typing import Any

import pytest
from tests.at_once import Another
from tests.engine import Engine
from tests.waiting import until

from headrace.model.job.outcome import Released, Retry, Snooze
from headrace.queue.change import cancel_job, retry_job
from headrace.queue.lease import set_armed
from headrace.queue.promote import promote_due
from headrace.queue.read import forget_waiter, register_waiter

CHANNELS = ("headrace", "headrace_ended")


class Ear:
    """Hears what is notified, in order."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._heard: list[str] = []

    def hear(self, _connection: object, _pid: int, _channel: str, payload: object) -> None:
        self._heard.append(str(payload))

    async def during(self, *calls: Awaitable[Any]) -> list[str]:
        """What was heard while the calls were made, to the last: the end is marked by a word of our own."""
        await self._until_quiet()
        for call in calls:
            await call
        return await self._until_quiet()

    async def _until_quiet(self) -> list[str]:
        mark = f"mark {uuid.uuid4()}"
        await self._engine.db.execute("select pg_notify('headrace', $1)", mark)
        await until(f"{mark} is heard", lambda: mark in self._heard)
        heard, self._heard = self._heard[: self._heard.index(mark)], []
        return heard


@pytest.fixture
async def ear(engine: Engine, another: Another) -> AsyncIterator[Ear]:
    listening, ear = await another(), Ear(engine)
    await engine.enqueue("warm-up", scheduled_for=await engine.db.fetchval("select now() + interval '1 day'"))
    await engine.enqueue(scheduled_for=await engine.db.fetchval("select now() + interval '1 day'"))
    for channel in CHANNELS:
        await listening.add_listener(channel, ear.hear)
    yield ear
    for channel in CHANNELS:
        await listening.remove_listener(channel, ear.hear)


async def armed_worker(engine: Engine) -> int:
    worker = await engine.worker()
    await set_armed(engine.db, worker_id=worker, armed=True)
    return worker


async def test_an_enqueue_wakes_an_armed_worker(engine: Engine, ear: Ear) -> None:
    await armed_worker(engine)
    assert await ear.during(engine.enqueue()) == ["work"]
    assert await ear.during(engine.enqueue_many(100)) == ["work"]


async def test_a_rescue_wakes_an_armed_worker(engine: Engine, ear: Ear) -> None:
    lost = await engine.worker()
    await engine.enqueue()
    await engine.claim(lost)
    await engine.lose(lost)
    await armed_worker(engine)
    assert await ear.during(engine.rescue()) == ["work"]
    assert await ear.during(engine.rescue()) == []


async def test_a_job_that_goes_back_at_once_wakes_an_armed_worker_and_one_that_waits_does_not(
    engine: Engine, ear: Ear
) -> None:
    busy = await engine.worker()
    await engine.enqueue_many(4)
    retried, released, delayed, snoozed = await engine.claim(busy)
    await armed_worker(engine)
    assert await ear.during(engine.finish(busy, retried, Retry(0))) == ["work"]
    assert await ear.during(engine.finish(busy, released, Released())) == ["work"]
    assert await ear.during(engine.finish(busy, delayed, Retry(3600))) == []
    assert await ear.during(engine.finish(busy, snoozed, Snooze(3600))) == []


async def test_an_enqueue_notifies_nobody_when_nobody_is_armed(engine: Engine, ear: Ear) -> None:
    assert await ear.during(engine.enqueue()) == []
    worker = await armed_worker(engine)
    await set_armed(engine.db, worker_id=worker, armed=False)
    assert await ear.during(engine.enqueue(), engine.enqueue_many(100)) == []


async def test_an_armed_worker_that_is_lost_or_expired_is_not_woken(engine: Engine, ear: Ear) -> None:
    worker = await armed_worker(engine)
    await engine.db.execute("update headrace.worker set lease_expires_at = now() - interval '1 second'")
    assert await ear.during(engine.enqueue()) == []
    await engine.lose(worker)
    await engine.db.execute("update headrace.worker set armed = true, lease_expires_at = now() + interval '1 hour'")
    assert await ear.during(engine.enqueue()) == []
    await set_armed(engine.db, worker_id=worker, armed=True)
    assert await ear.during(engine.enqueue()) == []


async def test_a_session_may_turn_waking_off(engine: Engine, ear: Ear) -> None:
    await armed_worker(engine)
    await engine.db.execute("set headrace.wake = off")
    assert await ear.during(engine.enqueue()) == []
    await engine.db.execute("set headrace.wake = on")
    assert await ear.during(engine.enqueue()) == ["work"]


async def test_an_enqueue_rolled_back_wakes_nobody(engine: Engine, ear: Ear) -> None:
    await armed_worker(engine)

    async def rolled_back() -> None:
        transaction = engine.db.transaction()
        await transaction.start()
        await engine.enqueue()
        await transaction.rollback()

    assert await ear.during(rolled_back()) == []


async def test_a_job_due_soon_wakes_promoters_and_a_later_one_does_not(engine: Engine, ear: Ear) -> None:
    await armed_worker(engine)
    now = await engine.db.fetchval("select now()")
    assert await ear.during(engine.enqueue(scheduled_for=now + timedelta(seconds=5))) == ["due"]
    assert await ear.during(engine.enqueue(scheduled_for=now + timedelta(minutes=1))) == []


async def test_a_promotion_and_a_retry_wake_an_armed_worker(engine: Engine, ear: Ear) -> None:
    job_id = await engine.enqueue()
    await cancel_job(engine.db, job_id)
    await armed_worker(engine)
    assert await ear.during(promote_due(engine.db)) == []
    assert await ear.during(retry_job(engine.db, job_id)) == ["work"]
    await engine.db.execute("update headrace.queue set run_at = now() where status = 'scheduled'")
    assert await ear.during(promote_due(engine.db)) == ["work"]


async def test_the_worker_that_runs_a_canceled_job_is_told(engine: Engine, ear: Ear) -> None:
    running, waiting = await engine.enqueue(), await engine.enqueue()
    worker = await engine.worker()
    await engine.claim(worker, 1)
    assert await ear.during(cancel_job(engine.db, running)) == [f"cancel {worker}"]
    assert await ear.during(cancel_job(engine.db, waiting)) == []


async def test_a_new_or_changed_lane_and_a_changed_definition_are_told(engine: Engine, ear: Ear) -> None:
    assert await ear.during(engine.enqueue(queue="new")) == ["lanes"]
    assert await ear.during(engine.enqueue(queue="new")) == []
    for change in (
        "update headrace.lane set paused = true",
        "update headrace.definition set enabled = false",
        "update headrace.definition set timeout_seconds = 5",
        "update headrace.definition set retry_base_seconds = 5",
    ):
        assert await ear.during(engine.db.execute(change)) == ["lanes"], change
    assert await ear.during(engine.db.execute("update headrace.definition set description = 'x'")) == []


async def test_an_end_is_told_to_registered_waiters_only(engine: Engine, ear: Ear) -> None:
    watched, unwatched, forgotten = await engine.enqueue_many(3)
    worker, waiters = await engine.worker(), [uuid.uuid4() for _ in range(3)]
    for waiter in waiters[:2]:
        await register_waiter(engine.db, watched, waiter, good_for=timedelta(minutes=1))
    await register_waiter(engine.db, forgotten, waiters[2], good_for=timedelta(minutes=1))
    await forget_waiter(engine.db, forgotten, waiters[2])
    held = await engine.claim(worker)
    assert await ear.during(engine.finish(worker, held, Released())) == []
    held = await engine.claim(worker)
    assert {run.job_id for run in held} == {watched, unwatched, forgotten}
    assert await ear.during(engine.finish(worker, held)) == [str(watched)]


async def test_a_cancel_and_a_rescue_tell_waiters_too(engine: Engine, ear: Ear) -> None:
    last, again, unwanted = [await engine.enqueue(max_attempts=n) for n in (1, 2, 1)]
    for job_id in (last, again, unwanted):
        await register_waiter(engine.db, job_id, uuid.uuid4(), good_for=timedelta(minutes=1))
    worker = await engine.worker()
    assert len(await engine.claim(worker, 2)) == 2
    assert await ear.during(cancel_job(engine.db, unwanted)) == [str(unwanted)]
    assert await ear.during(engine.lose(worker), engine.rescue()) == [str(last)]
