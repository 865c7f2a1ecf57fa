"""Enqueue: what is asked for is there when the caller commits, with an id that tells its time."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

from tests.at_once import Another, until_blocked
from tests.engine import Engine

BULK = """
select headrace.enqueue_many(
  'work', (select array_agg(jsonb_build_object('n', n) order by n) from generate_series(1, $1) as n))
"""


async def test_a_job_takes_its_definitions_settings(engine: Engine) -> None:
    await engine.define(queue="slow", priority=7, max_attempts=9)
    job_id = await engine.db.fetchval("select headrace.enqueue('work')")
    job = await engine.job(job_id)
    assert (job.queue, job.priority, job.max_attempts, job.tenant) == ("slow", 7, 9, "default")
    assert (job.payload, job.source, job.status) == ({}, "sql", "queued")
    assert [held.max_attempts for held in await engine.claim(await engine.worker())] == [9]


async def test_what_the_caller_says_beats_the_definition(engine: Engine) -> None:
    await engine.define(queue="slow", priority=7, max_attempts=9)
    job_id = await engine.enqueue(payload='{"to": "me"}', queue="fast", priority=0, max_attempts=1)
    job = await engine.job(job_id)
    assert (job.queue, job.priority, job.max_attempts, job.payload) == ("fast", 0, 1, {"to": "me"})


async def test_every_option_has_a_name_in_sql(engine: Engine) -> None:
    await engine.define()
    await engine.db.execute("insert into headrace.tenant (name) values ('acme')")
    job_id = await engine.db.fetchval(
        """
        select headrace.enqueue(
          definition => 'work', payload => '{"a": 1}', tenant => 'acme', queue => 'q', priority => 5,
          scheduled_for => now() + interval '1 hour', dedupe_key => 'd', idempotency_key => 'i',
          correlation_id => 'c', max_attempts => 2, dedupe_while => 'waiting', source => 'test',
          source_ref => '01890000-0000-7000-8000-000000000000', created_by => 'ann')
        """
    )
    row = await engine.db.fetchrow("select * from headrace.jobs where id = $1", job_id)
    assert row is not None
    expected = {"tenant": "acme", "queue": "q", "priority": 5, "dedupe_key": "d", "idempotency_key": "i"}
    expected |= {"correlation_id": "c", "max_attempts": 2, "source": "test", "created_by": "ann", "status": "scheduled"}
    assert {name: row[name] for name in expected} == expected
    assert str(row["source_ref"]) == "01890000-0000-7000-8000-000000000000"
    assert row["scheduled_for"] == row["run_at"]


async def test_the_extremes_of_each_range_are_accepted(engine: Engine) -> None:
    low = await engine.enqueue(priority=0, max_attempts=1, dedupe_key="k", idempotency_key="k")
    high = await engine.enqueue(priority=1000, max_attempts=1000, dedupe_key="k" * 500, idempotency_key="k" * 500)
    nearly_too_large = json.dumps({"text": "x" * 1_048_000})
    large = await engine.enqueue(payload=nearly_too_large)
    assert len({low, high, large}) == 3
    assert (await engine.job(large)).payload == json.loads(nearly_too_large)


async def test_no_payload_is_an_empty_one(engine: Engine) -> None:
    await engine.define()
    job_id = await engine.db.fetchval("select headrace.enqueue('work', null)")
    assert (await engine.job(job_id)).payload == {}


async def test_an_enqueue_is_seen_by_others_if_and_only_if_its_transaction_commits(
    engine: Engine, another: Another
) -> None:
    await engine.define()
    reader, seen = await another(), "select id from headrace.jobs"
    transaction = engine.db.transaction()
    await transaction.start()
    kept = await engine.enqueue()
    assert await reader.fetch(seen) == []
    await transaction.commit()
    assert [row[0] for row in await reader.fetch(seen)] == [kept]

    transaction = engine.db.transaction()
    await transaction.start()
    dropped = await engine.enqueue(dedupe_key="d", idempotency_key="i", queue="new")
    assert await engine.status(dropped) == "queued"
    await transaction.rollback()
    assert [row[0] for row in await reader.fetch(seen)] == [kept]
    assert [held.job_id for held in await engine.claim(await engine.worker())] == [kept]
    again = await engine.enqueue(dedupe_key="d", idempotency_key="i", queue="new")
    assert again not in (kept, dropped)


async def test_a_job_for_later_is_scheduled_and_cannot_be_claimed(engine: Engine) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    job_id = await engine.enqueue(scheduled_for=later)
    job = await engine.job(job_id)
    assert (job.status, job.scheduled_for, job.queued_at) == ("scheduled", later, None)
    assert await engine.claim(await engine.worker()) == []


async def test_a_job_whose_time_has_passed_is_queued_at_once(engine: Engine) -> None:
    past = datetime.now(UTC) - timedelta(hours=1)
    job_id = await engine.enqueue(scheduled_for=past)
    job = await engine.job(job_id)
    assert (job.status, job.scheduled_for) == ("queued", past)
    assert job.queued_at is not None
    assert [held.job_id for held in await engine.claim(await engine.worker())] == [job_id]


def milliseconds(job_id: UUID) -> int:
    """The time in an id."""
    return job_id.int >> 80


async def test_an_id_is_a_version_7_uuid_with_the_databases_time(engine: Engine) -> None:
    clock = "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint"
    before = await engine.db.fetchval(clock)
    single, several = await engine.enqueue(), await engine.enqueue_many(3)
    after = await engine.db.fetchval(clock)
    for job_id in (single, *several):
        assert (job_id.version, job_id.variant) == (7, "specified in RFC 4122")
        assert before <= milliseconds(job_id) <= after


async def test_ids_of_one_session_are_in_order_also_within_a_millisecond(engine: Engine) -> None:
    await engine.define()
    made = "select (select headrace.enqueue('work', '{}') where n > 0) from generate_series(1, 200) as n"
    ids = [row[0] for row in await engine.db.fetch(made)]
    assert ids == sorted(ids)


async def test_ten_thousand_jobs_come_back_in_the_order_of_their_payloads(engine: Engine) -> None:
    await engine.define()
    ids = [row[0] for row in await engine.db.fetch(BULK, 10_000)]
    assert ids == sorted(set(ids))
    rows = await engine.db.fetch("select id, (payload ->> 'n')::int from headrace.job order by 2")
    assert [row[0] for row in rows] == ids
    assert [row[1] for row in rows] == list(range(1, 10_001))
    claimed = await engine.claim(await engine.worker(), 100)
    assert [held.job_id for held in claimed] == ids[:100]


async def test_ids_are_unique_over_bulks_made_at_once(engine: Engine, another: Another) -> None:
    await engine.define()
    callers = [await another() for _ in range(4)]
    bulks = await asyncio.gather(*(caller.fetch(BULK, 1000) for caller in callers))
    assert len({row[0] for bulk in bulks for row in bulk}) == 4000
    assert await engine.db.fetchval("select count(*) from headrace.queue join headrace.job on id = job_id") == 4000


async def test_a_bulk_of_nothing_is_nothing(engine: Engine) -> None:
    await engine.define()
    assert await engine.db.fetch("select headrace.enqueue_many('work', '{}')") == []


async def test_an_enqueue_does_not_fail_for_want_of_a_partition(engine: Engine) -> None:
    await engine.db.execute("select headrace._create_partition('2020-01-06 00:00Z', '2020-01-13 00:00Z')")
    await engine.db.execute("delete from headrace.partition where suffix <> '20200106'")
    ids = [await engine.enqueue(), *await engine.enqueue_many(2)]
    end = datetime(2020, 1, 13, tzinfo=UTC).timestamp() * 1000
    assert {milliseconds(job_id) for job_id in ids} == {int(end) - 1}
    assert [await engine.status(job_id) for job_id in ids] == ["queued"] * 3


async def test_two_first_jobs_of_a_lane_at_once_share_it(engine: Engine, another: Another) -> None:
    await engine.define()
    first, second = await another(), await another()
    transaction = first.transaction()
    await transaction.start()
    await first.execute("select headrace.enqueue('work', queue => 'new')")
    waiting = asyncio.create_task(second.execute("select headrace.enqueue('work', queue => 'new')"))
    await until_blocked(engine.db, second, first)
    await transaction.commit()
    await waiting
    assert await engine.db.fetchval("select count(*) from headrace.lane where queue = 'new'") == 1
    assert await engine.db.fetchval("select count(*) from headrace.jobs where queue = 'new'") == 2
