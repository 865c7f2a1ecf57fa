"""A prune beside others: it takes nothing from whoever retries, and makes nobody wait."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import UUID

import asyncpg
import pytest
from tests.at_once import Another, until_blocked
from tests.retention.history import DAY, Past

import headrace.retention.remove as remove
from headrace.model.retention import Keep
from headrace.retention.policy import read_policies
from headrace.retention.prune import PruneLimits, prune_jobs
from headrace.retention.remove import remove_leaving
from headrace.retention.rows import delete_batch
from headrace.retention.week import list_weeks, mark_leaving, nothing_must_stay, touched

KEEP = Keep(jobs=30 * DAY, dead_letters=60 * DAY)
QUICK = PruneLimits(rest=0)
# In the first of fifteen weeks before this one, whatever day it is.
OLDEST = 105 * DAY


async def week_of(past: Past, job_id: UUID) -> str:
    suffix: str = await past.db.fetchval(
        "select suffix from headrace.partition"
        " where headrace._first_id(lower_bound) <= $1 and $1 < headrace._first_id(upper_bound)",
        job_id,
    )
    return suffix


async def tables(past: Past) -> int:
    count: int = await past.db.fetchval(
        "select count(*) from pg_class where relkind = 'r' and relnamespace = 'headrace'::regnamespace"
        " and relname ~ '^(job|attempt)_[0-9]'"
    )
    return count


async def test_a_job_that_somebody_is_just_retrying_stays(past: Past, another: Another) -> None:
    kept, retried = await past.job(age=40 * DAY, final="dead_letter"), await past.job(age=40 * DAY)
    person = await another()
    transaction = person.transaction()
    await transaction.start()
    assert await person.fetchval("select headrace.retry($1)", retried)
    await prune_jobs(past.db, KEEP, QUICK)  # neither waits nor takes it
    await transaction.commit()
    assert await past.jobs() == {kept, retried}
    assert await past.engine.status(retried) == "queued"


async def test_a_retry_that_comes_second_finds_no_job(past: Past, another: Another) -> None:
    await past.job(age=40 * DAY, final="dead_letter")
    gone = await past.job(age=40 * DAY)
    person, observer = await another(), await another()
    transaction = past.db.transaction()
    await transaction.start()
    policies = await read_policies(past.db, KEEP)
    [week] = [week for week in await list_weeks(past.db) if week.first <= gone < week.end]
    [policy] = await touched(past.db, week, policies)
    assert (await delete_batch(past.db, week, policy, after=week.first, most=10)).jobs == 1
    retrying = asyncio.create_task(person.fetchval("select headrace.retry($1)", gone))
    await until_blocked(observer, person, past.db)
    await transaction.commit()
    assert await retrying is False
    assert await past.leftovers() == []


async def test_a_retry_waits_for_the_mark_of_a_week_and_is_then_refused(past: Past, another: Another) -> None:
    gone = await past.job(age=40 * DAY)
    person, observer = await another(), await another()
    transaction = past.db.transaction()
    await transaction.start()
    policies = await read_policies(past.db, KEEP)
    [week] = [week for week in await list_weeks(past.db) if week.first <= gone < week.end]
    assert await nothing_must_stay(past.db, week, policies)
    assert await mark_leaving(past.db, week, policies)
    retrying = asyncio.create_task(person.fetchval("select headrace.retry($1)", gone))
    await until_blocked(observer, person, past.db)
    await transaction.commit()
    with pytest.raises(asyncpg.PostgresError, match="unknown job"):
        await retrying
    assert await past.db.fetchval("select not exists (select from headrace.queue)")
    assert await remove_leaving(past.db) == 1


@pytest.mark.parametrize("ends_again", [False, True])
async def test_a_retry_after_the_look_and_before_the_mark_keeps_the_week(past: Past, ends_again: bool) -> None:
    retried = await past.job(age=40 * DAY)
    policies = await read_policies(past.db, KEEP)
    [week] = [week for week in await list_weeks(past.db) if week.first <= retried < week.end]
    assert await nothing_must_stay(past.db, week, policies)
    assert await past.db.fetchval("select headrace.retry($1)", retried)
    if ends_again:
        assert await past.db.fetchval("select headrace.cancel($1)", retried)
    assert not await mark_leaving(past.db, week, policies)
    await prune_jobs(past.db, KEEP, QUICK)
    assert await past.jobs() == {retried}


async def test_enqueues_go_on_while_a_week_goes_beside_an_open_one(past: Past, another: Another) -> None:
    gone = await past.job(age=OLDEST, idempotency_key="once")
    enqueuer, pruner, observer = await another(), await another(), await another()
    transaction = enqueuer.transaction()
    await transaction.start()
    await enqueuer.execute("select headrace.enqueue('work')")
    pruning = asyncio.create_task(prune_jobs(pruner, KEEP, QUICK))
    await until_blocked(observer, pruner, enqueuer)
    await past.db.execute("set lock_timeout = '1s'")
    others = [await past.engine.enqueue() for _ in range(3)]
    # The key of what goes is free already: it leads to a new job.
    again = await past.engine.enqueue(idempotency_key="once")
    await transaction.commit()
    assert [whole.jobs for whole in (await pruning).weeks if whole.jobs] == [1]
    assert {*others, again} < await past.jobs()
    assert gone not in await past.jobs()


async def test_a_week_that_somebody_reads_goes_the_next_time(
    past: Past, another: Another, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remove, "PATIENCE_SECONDS", 0.2)
    gone = await past.job(age=40 * DAY)
    suffix, before = await week_of(past, gone), await tables(past)
    reader = await another()
    async with reader.transaction():
        assert await reader.fetchval("select count(*) from headrace.attempt") == 1
        await prune_jobs(past.db, KEEP, QUICK)
        assert await past.db.fetchval("select leaving from headrace.partition where suffix = $1", suffix)
        await past.engine.enqueue()
    await prune_jobs(past.db, KEEP, QUICK)
    assert await past.db.fetchval("select to_regclass('headrace.job_' || $1)", suffix) is None
    assert await past.db.fetchval("select not exists (select from headrace.partition where leaving)")
    assert await tables(past) < before
    assert gone not in await past.jobs()


async def test_processes_that_prune_at_once_remove_everything_once(past: Past, another: Another) -> None:
    for age in (35, 45, 55, 65, 75):
        for _ in range(4):
            await past.job(age=age * DAY)
    kept = await past.job(age=50 * DAY, final="dead_letter")
    connections = [await another() for _ in range(3)]
    done = await asyncio.gather(*(prune_jobs(conn, KEEP, PruneLimits(batch=1, rest=0)) for conn in connections))
    done.append(await prune_jobs(past.db, KEEP, QUICK))
    assert await past.jobs() == {kept}
    assert await past.leftovers() == []


async def test_this_week_and_those_ahead_stay_whatever_is_asked(past: Past) -> None:
    await past.define("work", days=0)
    job_id = await past.job(age=timedelta(seconds=2))
    await prune_jobs(past.db, KEEP, QUICK)
    now = await past.db.fetchval("select now()")
    assert min(await past.bounds()) <= now
    assert len([at for at in await past.bounds() if at > now]) >= 4
    assert job_id not in await past.jobs()
    await past.engine.enqueue()
