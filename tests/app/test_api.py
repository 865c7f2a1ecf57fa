"""`Headrace`: declare, enqueue, look, wait."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.app.shop import make_shop, working
from tests.waiting import PATIENCE

from headrace import Headrace
from headrace.app.awaited import NoLoop
from headrace.app.open_here import NotOpen
from headrace.context import Context
from headrace.define.signature import BadHandler
from headrace.errors import BadRequest, Conflict, HeadraceError, NotFound, PayloadTooLarge, ValidationError
from headrace.model.job.enqueue_options import EnqueueOptions
from headrace.model.job.status import JobStatus

NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"


# -- declare


def test_the_decorator_works_with_and_without_brackets() -> None:
    hr = Headrace(NOWHERE)

    @hr.job
    def plain(x: int) -> int:
        return x

    @hr.job()
    def brackets(x: int) -> int:
        return x

    @hr.job("mail.send", priority=5, timeout=2, tags=["a"])
    async def named(x: int) -> int:
        """Sends."""
        return x

    assert list(hr.handlers) == ["plain", "brackets", "mail.send"]
    assert (plain.key, brackets.key, named.key) == ("plain", "brackets", "mail.send")
    settings = hr.handlers["mail.send"].definition.settings
    assert (settings.priority, settings.timeout_seconds, settings.tags) == (5, 2.0, ("a",))
    assert (named.__doc__, settings.description) == ("Sends.", "Sends.")


async def test_a_declared_function_can_still_be_called() -> None:
    hr = Headrace(NOWHERE)

    @hr.job
    def double(x: int) -> int:
        return 2 * x

    @hr.job
    async def triple(x: int) -> int:
        return 3 * x

    assert double(4) == 8
    assert await triple(4) == 12
    assert repr(double) == "<job double>"


def test_a_second_function_under_the_same_key_is_refused() -> None:
    hr = Headrace(NOWHERE)

    @hr.job("work")
    def first() -> None: ...

    with pytest.raises(BadHandler, match=r"two functions declare the key 'work': .*first and .*second"):

        @hr.job("work")
        def second() -> None: ...


async def test_trigger_options_are_stored_with_the_definition(database_url: str) -> None:
    hr = Headrace(database_url, app="shop")

    @hr.job(cron="0 3 * * *", timezone="Europe/Zurich", catch_up="all")
    def nightly() -> None: ...

    @hr.job(every=timedelta(minutes=5), event="order.paid", init="v2")
    def often() -> None: ...

    @hr.job
    def never() -> None: ...

    async with hr, hr.database.pool.acquire() as conn:
        rows = await conn.fetch("select key, triggers from headrace.definition")
    stored = {row["key"]: json.loads(row["triggers"]) for row in rows}
    assert stored["never"] == []
    (nightly_trigger,) = stored["nightly"]
    said = nightly_trigger["settings"]
    assert (said["cron"], said["timezone"], said["catch_up"]) == ("0 3 * * *", "Europe/Zurich", "all")
    assert {trigger["name"]: trigger["settings"]["trigger_type"] for trigger in stored["often"]} == {
        "often": "schedule",
        "often:init": "init",
        "often:event": "event",
    }


# -- open


@pytest.mark.parametrize("verb", ["enqueue", "enqueue_many", "get_job", "wait", "cancel", "retry"])
async def test_before_it_is_open_every_verb_says_so(verb: str) -> None:
    hr = make_shop(NOWHERE)
    by_verb: dict[str, list[Any]] = {"enqueue": ["add", {"x": 1}], "enqueue_many": ["add", []]}
    arguments = by_verb.get(verb, [uuid4()])
    with pytest.raises(NotOpen, match="Open it first"):
        await getattr(hr, verb)(*arguments)


def test_a_verb_that_nobody_can_await_is_refused_with_the_name_of_the_blocking_one() -> None:
    shop = Headrace(NOWHERE)
    send = shop.job("mail.send")(_send)
    assert asyncio.iscoroutinefunction(send.enqueue)
    with pytest.raises(NoLoop, match=r'nothing would happen\. Call hr\.blocking\.enqueue\("mail\.send"'):
        send.enqueue(x=1)  # type: ignore[unused-coroutine]
    with pytest.raises(NoLoop, match=r'Call hr\.blocking\.enqueue_many\("mail\.send"'):
        send.enqueue_many([{"x": 1}])  # type: ignore[unused-coroutine]
    for verb in ("enqueue", "enqueue_many", "emit", "get_job", "wait", "cancel", "retry"):
        with pytest.raises(NoLoop, match=rf"Call hr\.blocking\.{verb}\(…\), which blocks"):
            getattr(shop, verb)("add", [])


async def test_a_handler_in_a_thread_that_does_not_await_an_enqueue_fails_and_says_why(hr: Headrace) -> None:
    @hr.job(max_attempts=1)
    def forgetful() -> None:
        hr.enqueue("add", {"x": 1})  # type: ignore[unused-coroutine]

    await hr.sync_definitions(complete=False)
    async with working(hr):
        job = await hr.wait(await hr.enqueue("forgetful"), timeout=PATIENCE)
    assert "Call hr.blocking.enqueue(" in str(job.last_error)


def _send(x: int) -> None:
    """Never run."""


async def test_it_opens_once_and_again_after_closing(database_url: str) -> None:
    hr = make_shop(database_url)
    async with hr:
        with pytest.raises(HeadraceError, match="already open"):
            await hr.__aenter__()
        job_id = await hr.enqueue("add", {"x": 1})
    with pytest.raises(NotOpen):
        await hr.get_job(job_id)
    async with hr:
        assert (await hr.get_job(job_id)).id == job_id


# -- enqueue


async def test_an_enqueued_job_can_be_looked_at(hr: Headrace) -> None:
    job_id = await hr.enqueue("add", {"x": 1}, priority=3, queue="mail", correlation_id="c", max_attempts=7)
    job = await hr.get_job(str(job_id))
    assert job == await hr.get_job(job_id)
    assert (job.id, job.definition, job.tenant, job.payload) == (job_id, "add", "default", {"x": 1})
    assert (job.status, job.source, job.attempt_count) == (JobStatus.QUEUED, "api", 0)
    assert (job.priority, job.queue, job.correlation_id, job.max_attempts) == (3, "mail", "c", 7)


async def test_ten_thousand_jobs_in_one_call_keep_their_order(hr: Headrace) -> None:
    ids = await hr.enqueue_many("add", ({"x": n} for n in range(10_000)))
    assert len(set(ids)) == 10_000
    assert ids == sorted(ids)
    async with hr.database.pool.acquire() as conn:
        rows = await conn.fetch("select id, (payload ->> 'x')::int from headrace.job order by id")
        assert [(row[0], row[1]) for row in rows] == list(zip(ids, range(10_000), strict=True))
        assert await conn.fetchval("select array_agg(job_id order by seq) from headrace.queue") == ids
    assert await hr.enqueue_many("add", []) == []


async def test_what_is_wrong_with_a_request_is_named_and_nothing_is_enqueued(shared_hr: Headrace) -> None:
    hr = shared_hr
    now = datetime.now(UTC)
    later = now + timedelta(hours=1)
    cases: list[tuple[type[Exception], str, dict[str, Any], dict[str, Any]]] = [
        (ValidationError, "x: Input should be a valid integer", {"x": "many"}, {}),
        (ValidationError, "x: Field required", {}, {}),
        (ValidationError, "z: Extra inputs", {"x": 1, "z": 1}, {}),
        (BadRequest, "scheduled_for needs a time zone", {"x": 1}, {"scheduled_for": now.replace(tzinfo=None)}),
        (BadRequest, "a delay or a time, not both", {"x": 1}, {"scheduled_for": later, "delay": 1}),
        (BadRequest, "The delay is 0 seconds or longer", {"x": 1}, {"delay": -0.5}),
        (BadRequest, "The delay is 0 seconds or longer", {"x": 1}, {"delay": timedelta(seconds=-1)}),
        *(
            (BadRequest, "between the years 1900 and 9000", {"x": 1}, {"delay": delay})
            for delay in (
                timedelta(days=3_000_000),
                timedelta.max,
                float("inf"),
                float("nan"),
                1e300,
                7_090 * 31_536_000.0,
            )
        ),
        *(
            (BadRequest, "between the years 1900 and 9000", {"x": 1}, {"scheduled_for": moment.replace(tzinfo=UTC)})
            for moment in (datetime.max, datetime.min, datetime(9000, 1, 2), datetime(1899, 12, 31))
        ),
        (BadRequest, "priority -1 is out of range", {"x": 1}, {"priority": -1}),
        (BadRequest, "max_attempts 0 is out of range", {"x": 1}, {"max_attempts": 0}),
        (BadRequest, "a dedupe or idempotency key has 1 to 500", {"x": 1}, {"dedupe_key": ""}),
        (BadRequest, "queue", {"x": 1}, {"queue": "no such name!"}),
        (NotFound, 'unknown tenant "nobody"', {"x": 1}, {"tenant": "nobody"}),
    ]
    for error, words, payload, options in cases:
        with pytest.raises(error) as refused:
            await hr.enqueue("add", payload, **options)
        assert words in str(refused.value)
    with pytest.raises(BadRequest, match="give one key"):
        await hr.enqueue_many("add", [{"x": 1}, {"x": 2}], dedupe_keys=["a"])
    with pytest.raises(ValidationError, match="x: Input should"):
        await hr.enqueue_many("add", [{"x": 1}, {"x": "bad"}])
    async with hr.database.pool.acquire() as conn:
        assert await conn.fetchval("select count(*) from headrace.job") == 0


async def test_a_delayed_job_is_scheduled_by_the_databases_clock(hr: Headrace) -> None:
    at = datetime(2050, 6, 1, 12, tzinfo=UTC)
    assert (await hr.get_job(await hr.enqueue("add", {"x": 1}, scheduled_for=at))).scheduled_for == at
    job = await hr.get_job(await hr.enqueue("add", {"x": 1}, delay=60))
    async with hr.database.pool.acquire() as conn:
        now = await conn.fetchval("select clock_timestamp()")
    assert job.status is JobStatus.SCHEDULED
    assert job.scheduled_for is not None
    assert now + timedelta(seconds=30) < job.scheduled_for <= now + timedelta(seconds=60)
    past: list[EnqueueOptions] = [{"delay": 0}, {"scheduled_for": datetime(2000, 1, 1, tzinfo=UTC)}]
    for options in past:
        due = await hr.enqueue("add", {"x": 1}, **options)
        assert (await hr.get_job(due)).status is JobStatus.QUEUED


async def test_a_definition_of_another_app_takes_any_json_that_can_be_stored(hr: Headrace) -> None:
    async with hr.database.pool.acquire() as conn:
        await conn.execute(
            "insert into headrace.definition (key, kind, app, hash) values ('theirs', 'python', 'other', '-')"
        )
    job_id = await hr.enqueue("theirs", {"deep": [1, {"a": None}], "text": "\\u0000"})
    assert (await hr.get_job(job_id)).payload == {"deep": [1, {"a": None}], "text": "\\u0000"}
    for value, words in ((float("nan"), "Out of range"), ("\x00", "NUL"), ({1}, "not JSON"), ("\ud800", "surrogates")):
        with pytest.raises(ValidationError, match=f"the payload of 'theirs' cannot be stored.*{words}"):
            await hr.enqueue("theirs", {"x": value})
    with pytest.raises((ValidationError, PayloadTooLarge)):
        await hr.enqueue("theirs", {"x": "y" * 2_000_000})


async def test_a_nul_in_an_argument_is_refused_and_not_accepted_to_fail_later(database_url: str) -> None:
    hr = Headrace(database_url, app="shop")

    @hr.job
    def say(text: str) -> None: ...

    async with hr:
        with pytest.raises(BadRequest):
            await say.enqueue(text="a\x00b")
        assert await say.enqueue(text="\\u0000")


async def test_disabled_definitions_are_refused(hr: Headrace) -> None:
    async with hr.database.pool.acquire() as conn:
        await conn.execute("update headrace.definition set enabled = false where key = 'add'")
    with pytest.raises(Conflict, match='definition "add" is disabled'):
        await hr.enqueue("add", {"x": 1})


# -- the declared function's own enqueue


async def test_a_parameter_wins_over_an_option_of_the_same_name(database_url: str) -> None:
    hr = Headrace(database_url, app="shop")

    @hr.job
    def ship(priority: str, ctx: Context, delay: int = 0) -> None: ...

    async with hr:
        job = await hr.get_job(await ship.enqueue(priority="high", delay=5, queue="mail", max_attempts=2))
        assert job.payload == {"priority": "high", "delay": 5}
        assert (job.priority, job.queue, job.max_attempts, job.status) == (100, "mail", 2, JobStatus.QUEUED)
        # The option itself is given through `hr.enqueue`.
        job = await hr.get_job(await hr.enqueue("ship", {"priority": "high"}, priority=1))
        assert (job.payload, job.priority) == ({"priority": "high"}, 1)
        with pytest.raises(ValidationError, match="nonsense: Extra inputs"):
            await ship.enqueue(priority="high", nonsense=1)
        ids = await ship.enqueue_many([{"priority": "a"}, {"priority": "b"}], priority=9)
        assert [(await hr.get_job(one)).priority for one in ids] == [9, 9]


# -- look and wait


async def test_what_is_not_there_is_not_found(shared_hr: Headrace) -> None:
    for verb in (shared_hr.get_job, shared_hr.cancel, shared_hr.retry, shared_hr.wait):
        with pytest.raises(NotFound, match='unknown job "'):
            await verb(uuid4())
        with pytest.raises(BadRequest, match="'seven' is not a job id"):
            await verb("seven")


async def test_a_wait_may_run_out_and_leaves_nobody_registered(hr: Headrace) -> None:
    job_id = await hr.enqueue("add", {"x": 1})
    for timeout in (0.01, timedelta(milliseconds=10)):
        with pytest.raises(TimeoutError, match=f"job {job_id} has not ended within 0.01 s"):
            await hr.wait(job_id, timeout)
    async with hr.database.pool.acquire() as conn:
        assert await conn.fetchval("select count(*) from headrace.waiter") == 0


async def test_a_wait_returns_with_the_job_once_it_has_ended(hr: Headrace) -> None:
    async with working(hr):
        job_id = await hr.enqueue("add", {"x": 2, "y": 3})
        first, second = await asyncio.gather(hr.wait(job_id, PATIENCE), hr.wait(str(job_id), PATIENCE))
        assert first == second
        assert (first.status, first.result, first.attempt_count) == (JobStatus.SUCCEEDED, 5, 1)
        failed = await hr.wait(await hr.enqueue("refuse"), PATIENCE)
        assert (failed.status, failed.result) == (JobStatus.DEAD_LETTER, None)
        assert await hr.retry(failed.id) is True
        assert (await hr.wait(failed.id, PATIENCE)).status is JobStatus.DEAD_LETTER
    assert (await hr.wait(job_id)).result == 5  # ended long ago


async def test_a_cancel_ends_a_wait(hr: Headrace) -> None:
    job_id: UUID = await hr.enqueue("add", {"x": 1}, delay=3600)
    waiting = asyncio.create_task(hr.wait(job_id, PATIENCE))
    assert await hr.cancel(job_id) is True
    assert (await waiting).status is JobStatus.CANCELED
    assert await hr.cancel(job_id) is False
