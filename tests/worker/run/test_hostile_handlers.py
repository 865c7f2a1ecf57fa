"""Whatever a handler does, its job ends and the worker goes on (rule 15)."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from typing import Any

import pytest
from tests.waiting import until
from tests.worker.running import attempts, errors, finished, said, working

from headrace import Context, Fail, Headrace, RetryPolicy
from headrace.db.connect import Connection

BAD_TEXTS = {
    "NUL": "before\0after",
    "lone surrogate": "before\udc80after",
    "10 MB": "x" * 10_000_000,
    "all of it": "\0\ud800é" * 1_000_000,
}


class Unspeakable(Exception):
    """Cannot even say what went wrong."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class Deadly(Exception):
    """Tries to end the process while it is described."""

    def __str__(self) -> str:
        raise SystemExit(3)


@pytest.mark.parametrize("is_async", [True, False], ids=["async", "sync"])
@pytest.mark.parametrize(
    "error",
    [SystemExit(3), KeyboardInterrupt(), Unspeakable(), Deadly(), StopIteration(1), asyncio.CancelledError()],
    ids=lambda error: type(error).__name__,
)
async def test_no_exception_of_a_handler_kills_the_worker(
    hr: Headrace, connection: Connection, error: BaseException, is_async: bool
) -> None:
    if is_async:

        @hr.job(key="raise", max_attempts=1)
        async def raise_it() -> None:
            raise error

    else:

        @hr.job(key="raise", max_attempts=1)
        def raise_it_in_a_thread() -> None:
            raise error

    @hr.job()
    async def fine() -> str:
        return "fine"

    async with working(hr, concurrency=1):
        bad = await finished(hr, await hr.enqueue("raise"))
        good = await finished(hr, await fine.enqueue())
    assert await attempts(connection, bad.id) == [(1, "failed", "dead_letter")]
    assert type(error).__name__ in str(bad.last_error)
    assert good.result == "fine"


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS.keys())
async def test_any_text_in_an_error_is_recorded(hr: Headrace, connection: Connection, text: str) -> None:
    @hr.job(max_attempts=1)
    async def shout() -> None:
        raise ValueError(text)

    async with working(hr):
        job = await finished(hr, await shout.enqueue())
    assert await attempts(connection, job.id) == [(1, "failed", "dead_letter")]
    assert str(job.last_error).startswith("ValueError: ")
    assert len(str(job.last_error)) < 20_000


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS.keys())
async def test_any_text_in_a_result_ends_the_job(hr: Headrace, connection: Connection, text: str) -> None:
    @hr.job(max_attempts=1)
    async def give() -> str:
        return text

    async with working(hr):
        job = await finished(hr, await give.enqueue())
    assert await attempts(connection, job.id) == [(1, "failed", "dead_letter")]
    assert "the result cannot be stored" in str(job.last_error)


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS.keys())
async def test_any_text_in_progress_is_shown_and_the_job_succeeds(
    hr: Headrace, connection: Connection, text: str
) -> None:
    shown = asyncio.Event()

    @hr.job()
    async def tell(ctx: Context) -> None:
        ctx.progress(0.5, text)
        await shown.wait()

    async def message() -> bool:
        said = await connection.fetchval("select progress_message from headrace.jobs where id = $1", job_id)
        return bool(said) and len(said) < 1_000

    async with working(hr):
        job_id = await tell.enqueue()
        await until("the progress is shown", message)
        shown.set()
        job = await finished(hr, job_id)
    assert (job.status, job.progress) == ("succeeded", 0.5)


async def test_a_reason_of_any_text_is_recorded(hr: Headrace, connection: Connection) -> None:
    from headrace import Cancel, Fail, Retry, Snooze

    answers = [Retry(0, BAD_TEXTS["all of it"]), Snooze(0, "\0"), Cancel("\udc80"), Fail("\0" * 5_000_000)]

    @hr.job(max_attempts=2)
    async def ask(n: int, ctx: Context) -> None:
        if ctx.fencing_token == 1:
            raise answers[n]

    async with working(hr):
        ended = [await finished(hr, await ask.enqueue(n=n)) for n in range(4)]
    assert [job.status for job in ended] == ["succeeded", "succeeded", "canceled", "failed"]


async def test_many_attempts_do_not_overflow_the_backoff(hr: Headrace, connection: Connection) -> None:
    tiny = timedelta(milliseconds=1)

    @hr.job(max_attempts=70, retry=RetryPolicy(base=timedelta(microseconds=1), cap=tiny, jitter=timedelta(0)))
    async def stubborn(ctx: Context) -> int:
        if ctx.attempt < 70:
            raise ValueError
        return ctx.attempt

    async with working(hr):
        job = await finished(hr, await stubborn.enqueue())
    assert (job.status, job.attempt_count) == ("succeeded", 70)
    assert len(await attempts(connection, job.id)) == 70


async def test_a_job_whose_payload_nobody_can_read_ends(hr: Headrace, connection: Connection) -> None:
    @hr.job
    async def take(password: Any) -> None:
        """Never sees it: SQL wrote what Python does not parse."""

    async with working(hr):
        for value in ("[" * 3000 + "]" * 3000, "1" * 5000):
            async with connection.transaction():
                job_id = await connection.fetchval("select headrace.enqueue('take')")
                # No door takes it: it stands there all the same, from before, or written past them.
                payload = f'{{"password": {value}}}'
                await connection.execute("update headrace.job set payload = $2::jsonb where id = $1", job_id, payload)
            job = await finished(hr, job_id)
            assert (job.status, list(job.payload)) == ("failed", ["unreadable"])


class Wordless(Fail):
    """Asks for an end, and cannot be asked why."""

    def __init__(self) -> None:
        Exception.__init__(self)

    reason = property(lambda _: sys.exit(3))


@pytest.mark.parametrize("secrets", [{}, {"password": "correct-horse-battery"}], ids=["plain", "with secrets"])
async def test_a_job_whose_outcome_cannot_be_formed_ends_once_and_keeps_no_place(
    hr: Headrace, connection: Connection, caplog: pytest.LogCaptureFixture, secrets: dict[str, str]
) -> None:
    @hr.job(max_attempts=4)
    async def charge(password: str = "") -> None:
        raise Wordless

    @hr.job()
    async def fine() -> str:
        return "fine"

    async with working(hr, concurrency=1):
        job = await finished(hr, await hr.enqueue("charge", secrets))
        assert (await finished(hr, await fine.enqueue())).result == "fine"
    assert await attempts(connection, job.id) == [(1, "failed", "failed")]
    (error,) = await errors(connection, job.id)
    assert error == "the attempt ended, but its outcome could not be formed (SystemExit): see the worker's log"
    assert "outcome replaced by a failure" in caplog.text


async def test_a_cancel_that_a_handler_planned_before_its_end_takes_neither_its_outcome_nor_its_lines(
    hr: Headrace, connection: Connection
) -> None:
    @hr.job(max_attempts=1)
    async def charge() -> str:
        print("charged")
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None

        def cancel_until_it_ends() -> None:
            if not task.done():
                task.cancel()
                loop.call_soon(cancel_until_it_ends)

        # Not at once: the handler would be cancelled before it returns.
        loop.call_soon(loop.call_soon, cancel_until_it_ends)
        return "done"

    async with working(hr, concurrency=1):
        jobs = [await finished(hr, await charge.enqueue()) for _ in range(2)]
    assert [job.result for job in jobs] == ["done", "done"]
    assert [await said(connection, job.id) for job in jobs] == [["charged"], ["charged"]]
