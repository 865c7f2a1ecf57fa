"""What becomes of a job: from what its handler does to what is written."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.worker.handlers import asked
from tests.worker.running import attempts, errors, finished, until_status, working

from headrace import Context, Headrace, Retry, RetryPolicy, Snooze
from headrace.db.connect import Connection

AT_ONCE = RetryPolicy(base=timedelta(0), cap=timedelta(0), jitter=timedelta(0))


async def test_an_async_handler_succeeds_with_its_result(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def greet(name: str) -> dict[str, str]:
        return {"greeting": f"Hello, {name}!"}

    async with working(hr):
        job = await finished(hr, await greet.enqueue(name="wörld"))
    assert (job.status, job.result, job.attempt_count) == ("succeeded", {"greeting": "Hello, wörld!"}, 1)
    assert await attempts(connection, job.id) == [(1, "succeeded", "succeeded")]


async def test_a_sync_handler_succeeds_with_its_result(hr: Headrace) -> None:
    @hr.job()
    def double(n: int) -> int:
        return 2 * n

    async with working(hr):
        job = await finished(hr, await double.enqueue(n=21))
    assert (job.status, job.result) == ("succeeded", 42)


async def test_a_handler_that_returns_nothing_leaves_no_result(hr: Headrace) -> None:
    @hr.job()
    async def quiet() -> None:
        pass

    async with working(hr):
        job = await finished(hr, await quiet.enqueue())
    assert (job.status, job.result, job.last_error) == ("succeeded", None, None)


@pytest.mark.parametrize("value", [object(), float("nan"), {1, 2}, "\udc80", "a\0b", {"deep": [b"bytes"]}])
async def test_a_result_that_is_not_json_fails_the_attempt_and_says_so(
    hr: Headrace, connection: Connection, value: object
) -> None:
    @hr.job(max_attempts=2, retry=AT_ONCE)
    async def give() -> object:
        return value

    async with working(hr):
        job = await finished(hr, await give.enqueue())
    assert job.status == "dead_letter"
    assert await attempts(connection, job.id) == [(1, "failed", None), (2, "failed", "dead_letter")]
    assert "the result cannot be stored" in str(job.last_error)


async def test_an_exception_is_retried_after_a_backoff_until_it_succeeds(hr: Headrace, connection: Connection) -> None:
    @hr.job(max_attempts=3, retry=RetryPolicy(base=timedelta(seconds=0.3), jitter=timedelta(0)))
    async def flaky(ctx: Context) -> int:
        if ctx.attempt < 3:
            raise ConnectionError(f"attempt {ctx.attempt}")
        return ctx.attempt

    async with working(hr):
        job = await finished(hr, await flaky.enqueue())
    assert (job.status, job.result, job.attempt_count) == ("succeeded", 3, 3)
    assert await attempts(connection, job.id) == [
        (1, "failed", None),
        (2, "failed", None),
        (3, "succeeded", "succeeded"),
    ]
    assert await errors(connection, job.id) == ["ConnectionError: attempt 1", "ConnectionError: attempt 2", None]
    pauses = await connection.fetch(
        "select started_at - lag(finished_at) over (order by run) from headrace.attempt where job_id = $1 order by run",
        job.id,
    )
    assert pauses[1][0] >= timedelta(seconds=0.3)
    assert pauses[2][0] >= timedelta(seconds=0.6)


async def test_a_job_out_of_attempts_is_a_dead_letter_with_its_traceback(hr: Headrace, connection: Connection) -> None:
    @hr.job(max_attempts=2, retry=AT_ONCE)
    async def doomed() -> None:
        raise LookupError("no luck")

    async with working(hr):
        job = await finished(hr, await doomed.enqueue())
    assert (job.status, job.attempt_count, job.last_error) == ("dead_letter", 2, "LookupError: no luck")
    assert await attempts(connection, job.id) == [(1, "failed", None), (2, "failed", "dead_letter")]
    trace = await connection.fetchval("select traceback from headrace.attempt where job_id = $1 and run = 2", job.id)
    assert "in doomed" in trace


@pytest.mark.parametrize("returned", [False, True], ids=["raised", "returned"])
@pytest.mark.parametrize(
    ("what", "first", "status", "spent"),
    [
        ("retry", (1, "retried", None), "succeeded", 2),
        ("snooze", (1, "snoozed", None), "succeeded", 1),
        ("cancel", (1, "canceled", "canceled"), "canceled", 1),
        ("fail", (1, "failed", "failed"), "failed", 1),
    ],
)
async def test_a_handler_asks_for_what_should_become_of_its_job(
    hr: Headrace,
    connection: Connection,
    what: str,
    first: tuple[int, str, str],
    status: str,
    spent: int,
    returned: bool,
) -> None:
    @hr.job(max_attempts=5)
    async def ask(ctx: Context) -> object:
        if ctx.fencing_token > 1:
            return None
        if returned:
            return asked(what)
        raise asked(what)

    async with working(hr):
        job = await finished(hr, await ask.enqueue())
    ended = await attempts(connection, job.id)
    assert ended[0] == first
    assert (job.status, job.attempt_count, len(ended)) == (status, spent, 1 if first[2] else 2)
    reasons = {"retry": "come back", "snooze": "not now", "cancel": "not wanted", "fail": "never"}
    assert (await errors(connection, job.id))[0] == reasons[what]


async def test_a_sync_handler_may_ask_too(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    def ask(ctx: Context) -> str:
        if ctx.fencing_token == 1:
            raise Snooze(timedelta(0))
        return "done"

    async with working(hr):
        job = await finished(hr, await ask.enqueue())
    assert (job.result, job.attempt_count) == ("done", 1)
    assert await attempts(connection, job.id) == [(1, "snoozed", None), (2, "succeeded", "succeeded")]


async def test_a_retry_on_the_last_attempt_is_a_dead_letter(hr: Headrace, connection: Connection) -> None:
    @hr.job(max_attempts=1)
    async def again() -> None:
        raise Retry

    async with working(hr):
        job = await finished(hr, await again.enqueue())
    assert job.status == "dead_letter"
    assert await attempts(connection, job.id) == [(1, "retried", "dead_letter")]


async def test_a_delay_beyond_the_end_of_time_fails_the_job_and_holds_up_no_other(hr: Headrace) -> None:
    @hr.job()
    async def never() -> None:
        asked = Snooze(0)
        asked.for_ = timedelta.max  # behind the back of what refuses it where it is made
        raise asked

    @hr.job()
    async def fine() -> str:
        return "fine"

    async with working(hr):
        late = await never.enqueue()
        others = await fine.enqueue_many([{}] * 20)
        ended = [await finished(hr, job_id) for job_id in others]
        job = await finished(hr, late)
    assert {other.status for other in ended} == {"succeeded"}
    assert job.status == "failed"
    assert "could not be stored" in str(job.last_error)


async def test_a_payload_that_does_not_fit_is_given_back_unspent_until_nobody_could_read_it_for_too_long(
    hr: Headrace, connection: Connection
) -> None:
    @hr.job(max_attempts=5)
    async def count(n: int) -> None:
        pass

    version = count.handler.definition.schema_version
    async with working(hr):
        job_id = await connection.fetchval("""select headrace.enqueue('count', '{"n": "many"}')""")
        await until_status(connection, job_id, "scheduled")
        assert (await attempts(connection, job_id))[0] == (1, "released", None)
        await connection.execute("update headrace.queue set unreadable_since = unreadable_since - interval '1 hour'")
        job = await finished(hr, job_id)
    assert (job.status, job.attempt_count) == ("dead_letter", 0)
    assert (await attempts(connection, job_id))[-1][1:] == ("failed", "dead_letter")
    said = str(job.last_error)
    assert f"the database has version {version} of 'count'" in said
    assert "n: Input should be a valid integer" in said
    assert f"this worker has version {version} of 'count'" in said
