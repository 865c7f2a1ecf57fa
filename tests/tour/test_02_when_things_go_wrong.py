"""Retries with backoff, giving up, and coming back later."""

from __future__ import annotations

from datetime import timedelta

from tests.tour.conftest import AWorker

from headrace import Context, Fail, Headrace, RetryPolicy, Snooze

AT_ONCE = RetryPolicy(base=timedelta(0), jitter=timedelta(0))


async def test_a_failure_is_tried_again(hr: Headrace, a_worker: AWorker) -> None:
    @hr.job(max_attempts=3, retry=AT_ONCE)
    async def flaky(ctx: Context) -> int:
        if ctx.attempt < 3:
            raise ConnectionError("not yet")
        return ctx.attempt

    async with a_worker():
        job = await hr.wait(await flaky.enqueue())
    assert (job.status, job.result, job.attempt_count) == ("succeeded", 3, 3)


async def test_after_the_last_attempt_it_is_in_the_dead_letter(hr: Headrace, a_worker: AWorker) -> None:
    @hr.job(max_attempts=2, retry=AT_ONCE)
    async def broken() -> None:
        raise ValueError("always")

    async with a_worker():
        job = await hr.wait(await broken.enqueue())
    assert (job.status, job.attempt_count, job.last_error) == ("dead_letter", 2, "ValueError: always")


async def test_a_handler_may_give_up_for_good(hr: Headrace, a_worker: AWorker) -> None:
    @hr.job(max_attempts=5)
    async def charge(card: str) -> None:
        raise Fail(f"card {card} has expired")

    async with a_worker():
        job = await hr.wait(await charge.enqueue(card="1234"))
    assert (job.status, job.attempt_count, job.last_error) == ("failed", 1, "card 1234 has expired")


async def test_a_snooze_spends_no_attempt(hr: Headrace, a_worker: AWorker) -> None:
    seen: list[int] = []

    @hr.job(max_attempts=1)
    async def when_ready(ctx: Context) -> None:
        seen.append(ctx.attempt)
        if len(seen) < 3:
            raise Snooze(0.01)

    async with a_worker():
        job = await hr.wait(await when_ready.enqueue())
    assert (job.status, seen, job.attempt_count) == ("succeeded", [1, 1, 1], 1)
