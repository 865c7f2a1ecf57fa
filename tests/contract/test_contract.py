"""The contract: whichever way a job runs, it ends, is stopped, is kept and is masked as any other."""

from __future__ import annotations

from tests.contract.way import SECRET, Way
from tests.waiting import until
from tests.worker.running import attempts, finished, run_due, running, said, until_said, working

from headrace import Headrace
from headrace.db.connect import Connection
from headrace.worker.process.database_worker import WorkerProcess

TALK = 3000  # more than one flush


async def test_it_succeeds_with_a_result(hr: Headrace, way: Way, connection: Connection) -> None:
    async with working(hr):
        job = await finished(hr, await hr.enqueue("succeed", {"n": 21}))
    assert (job.status, way.result(job.result)) == ("succeeded", {"double": 42})
    assert await attempts(connection, job.id) == [(1, "succeeded", "succeeded")]


async def test_it_fails_with_an_error(hr: Headrace, way: Way, connection: Connection) -> None:
    async with working(hr):
        job = await finished(hr, await hr.enqueue("fail"))
    assert (job.status, job.result) == ("dead_letter", None)
    assert way.failed in str(job.last_error)
    assert await attempts(connection, job.id) == [(1, "failed", "dead_letter")]


async def test_it_is_retried_and_succeeds(hr: Headrace, way: Way, connection: Connection) -> None:
    async with working(hr):
        job_id = await hr.enqueue("recover")
        await run_due(connection, job_id)
        job = await finished(hr, job_id)
    assert (job.status, way.result(job.result)) == ("succeeded", "recovered")
    assert await attempts(connection, job.id) == [(1, "failed", None), (2, "succeeded", "succeeded")]


async def test_it_is_ended_at_its_timeout(hr: Headrace, way: Way, connection: Connection) -> None:
    async with working(hr):
        job = await finished(hr, await hr.enqueue("slow"))
    assert str(job.last_error).startswith(way.timed_out)
    assert await attempts(connection, job.id) == [(1, "timed_out", "dead_letter")]


async def test_it_is_gone_within_its_grace_when_it_is_canceled(hr: Headrace, way: Way, connection: Connection) -> None:
    async with working(hr):
        job_id = await hr.enqueue("hang")
        mark = (await until_said(connection, job_id, "started")).split()[1]
        assert not await way.is_gone(mark, connection)
        assert await hr.cancel(job_id)
        job = await finished(hr, job_id)
        await until("nothing is left of it", lambda: way.is_gone(mark, connection))
    assert job.status == "canceled"
    assert await attempts(connection, job_id) == [(1, "canceled", "canceled")]


async def test_its_crash_is_its_own_and_others_run_on(hr: Headrace, way: Way, connection: Connection) -> None:
    async with working(hr):
        job = await finished(hr, await hr.enqueue("crash"))
        after = await finished(hr, await hr.enqueue("succeed", {"n": 1}))
    assert way.crashed in str(job.last_error)
    assert await attempts(connection, job.id) == [(1, "failed", "dead_letter")]
    assert after.status == "succeeded"


async def test_a_large_result_is_kept_whole(hr: Headrace, way: Way) -> None:
    async with working(hr):
        job = await finished(hr, await hr.enqueue("large", {"size": 900_000}))
    assert job.status == "succeeded"
    assert way.result(job.result) == "x" * 900_000


async def test_a_result_that_is_too_large_is_refused_in_words(hr: Headrace, way: Way, connection: Connection) -> None:
    async with working(hr):
        job = await finished(hr, await hr.enqueue("large", {"size": 1_100_000}))
    assert job.result is None
    if way.fails_for_too_large:
        assert job.status == "dead_letter"
        assert way.too_large in str(job.last_error)
    else:
        assert job.status == "succeeded"
        assert any(way.too_large in line for line in await said(connection, job.id))


async def test_its_lines_are_all_there_in_order_when_it_has_ended(
    hr: Headrace, way: Way, connection: Connection
) -> None:
    async with working(hr):
        job = await finished(hr, await hr.enqueue("talk", {"count": TALK}))
        lines = await said(connection, job.id)
    assert job.status == "succeeded"
    assert lines == [f"line {number}" for number in range(1, TALK + 1)]


async def test_a_secret_of_its_payload_is_masked_in_its_lines_and_its_result(
    hr: Headrace, way: Way, connection: Connection
) -> None:
    async with working(hr):
        job = await finished(hr, await hr.enqueue("leak", {"password": SECRET}))
    assert job.status == "succeeded"
    assert await said(connection, job.id) == ["the password is ***"]
    assert way.result(job.result) == {"password_was": "***"}


async def test_a_secret_of_its_payload_is_masked_in_its_error_and_all_that_is_kept_of_it(
    hr: Headrace, way: Way, connection: Connection
) -> None:
    async with working(hr):
        job = await finished(hr, await hr.enqueue("leak_and_fail", {"password": SECRET}))
    assert job.status == "dead_letter"
    assert "the password is ***" in await said(connection, job.id)
    attempt = str(await connection.fetchval("select to_jsonb(attempt)::text from headrace.attempt"))
    assert SECRET not in attempt
    assert "it broke with ***" in attempt
    assert ("it broke with ***" in str(job.last_error)) == way.error_has_its_words


async def test_it_goes_back_unspent_when_its_worker_leaves(hr: Headrace, way: Way, connection: Connection) -> None:
    async with hr:
        async with running(WorkerProcess(hr)):
            job_id = await hr.enqueue("hang")
            mark = (await until_said(connection, job_id, "started")).split()[1]
        await until("nothing is left of it", lambda: way.is_gone(mark, connection))
        job = await hr.get_job(job_id)
    assert (job.status, job.attempt_count) == ("queued", 0)
    assert await attempts(connection, job_id) == [(1, "released", None)]
