"""Reading: sums over minutes and hours, percentiles from buckets, the queue as it was sampled."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.engine import Engine
from tests.rollups.counting import fold_as_of, not_nought

from headrace.model.job.outcome import Failed
from headrace.rollups.fold import fold_deltas
from headrace.rollups.read import depth, histogram_bounds, series, summary, totals, usual_durations
from headrace.rollups.sample import sample_queue

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


async def tenant(engine: Engine, name: str) -> int:
    """A new tenant's id."""
    made: int = await engine.db.fetchval("insert into headrace.tenant (name) values ($1) returning id", name)
    return made


async def definition_id(engine: Engine, key: str = "work") -> int:
    found: int = await engine.db.fetchval("select id from headrace.definition where key = $1", key)
    return found


async def ran(engine: Engine, seconds: float, *, waited: float = 0.0, n: int = 1, key: str = "work") -> None:
    """Jobs that waited and ran for so long, counted by the finish statement itself."""
    await engine.enqueue_many(n, key)
    worker = await engine.worker()
    held = await engine.claim(worker, n)
    await engine.db.execute(
        "update headrace.queue set claimed_at = now() - make_interval(secs => $1),"
        " queued_at = now() - make_interval(secs => $1 + $2)",
        seconds,
        waited,
    )
    assert len(await engine.finish(worker, held)) == n


@pytest.mark.parametrize("back", [0, 1, 59, 60, 61, 119, 180, 60 * 24, 60 * 24 + 17])
async def test_a_summary_has_all_since_then_to_the_minute_and_nothing_before(engine: Engine, back: int) -> None:
    since = NOON - back * MINUTE
    for minutes in (-1, 0, 1, 50, 70, 300):
        await engine.enqueue()
        await fold_as_of(engine, since + minutes * MINUTE)
    assert not_nought(await summary(engine.db, tenant_id=None, since=since)) == {"enqueued": 5}
    assert not_nought(await summary(engine.db, tenant_id=None, since=since + timedelta(seconds=59))) == {"enqueued": 5}
    assert not_nought(await summary(engine.db, tenant_id=None, since=since + MINUTE)) == {"enqueued": 4}


async def test_a_tenant_sees_only_its_own(engine: Engine) -> None:
    acme = await tenant(engine, "acme")
    other = await tenant(engine, "other")
    await engine.enqueue_many(3)
    await engine.enqueue(tenant="acme")
    await fold_deltas(engine.db)
    await sample_queue(engine.db)
    now = await engine.db.fetchval("select now()")
    for who, n in ((None, 4), (acme, 1), (other, 0)):
        assert (await summary(engine.db, tenant_id=who, since=now - DAY)).enqueued == n
        for step in (MINUTE, HOUR):
            steps = await series(engine.db, tenant_id=who, since=now - HOUR, until=now + MINUTE, step=step)
            assert sum(one.counts.enqueued for one in steps) == n
            assert max(one.depth for one in steps) == n
        assert sum(lane.jobs for lane in (await depth(engine.db, tenant_id=who)).lanes) == n


async def test_a_series_has_a_row_for_each_step_also_where_nothing_happened(engine: Engine) -> None:
    for minutes in (0, 4, 5, 14):
        await engine.enqueue()
        await fold_as_of(engine, NOON + minutes * MINUTE)
    steps = await series(engine.db, since=NOON, until=NOON + 20 * MINUTE, step=5 * MINUTE)
    assert [(step.at, step.counts.enqueued) for step in steps] == [
        (NOON, 2),
        (NOON + 5 * MINUTE, 1),
        (NOON + 10 * MINUTE, 1),
        (NOON + 15 * MINUTE, 0),
    ]
    assert steps[3].latency.percentile(0.5) is None


async def test_a_series_begins_with_the_step_that_its_beginning_lies_in(engine: Engine) -> None:
    await engine.enqueue()
    await fold_as_of(engine, NOON)
    steps = await series(engine.db, since=NOON + 3 * MINUTE, until=NOON + 6 * MINUTE, step=5 * MINUTE)
    assert [(step.at, step.counts.enqueued) for step in steps] == [(NOON, 1), (NOON + 5 * MINUTE, 0)]


async def test_a_series_of_hours_or_days_says_what_its_minutes_say(engine: Engine) -> None:
    for hours in (0, 1, 25, 30):
        await ran(engine, 3.0)
        await fold_as_of(engine, NOON + hours * HOUR + 7 * MINUTE)
    for step in (HOUR, 6 * HOUR, DAY):
        steps = await series(engine.db, since=NOON - DAY, until=NOON + 2 * DAY, step=step)
        assert sum(one.counts.succeeded for one in steps) == 4
        assert sum(one.duration.count for one in steps) == 4
        assert all(one.at == NOON - DAY + n * step or step == DAY for n, one in enumerate(steps))


@pytest.mark.parametrize("step", [timedelta(seconds=30), timedelta(0), timedelta(seconds=90), -MINUTE])
async def test_a_step_is_a_whole_number_of_minutes(engine: Engine, step: timedelta) -> None:
    with pytest.raises(ValueError, match="whole number of minutes"):
        await series(engine.db, since=NOON, until=NOON + HOUR, step=step)


async def test_a_series_without_end_is_refused(engine: Engine) -> None:
    with pytest.raises(ValueError, match="longer steps"):
        await series(engine.db, since=NOON - 30 * DAY, until=NOON, step=MINUTE)


async def test_latency_and_duration_are_told_from_buckets(engine: Engine) -> None:
    await ran(engine, 7.0, waited=0.7, n=9)
    await ran(engine, 200.0, waited=40.0)
    await fold_deltas(engine.db)
    now = await engine.db.fetchval("select now()")
    (step,) = [one for one in await series(engine.db, since=now - DAY, until=now + HOUR, step=DAY) if one.counts.runs]
    assert step.latency.count == step.duration.count == 10
    assert 0.5 < (step.latency.percentile(0.5) or 0) < 1
    assert 30 < (step.latency.percentile(0.95) or 0) < 60
    assert 5 < (step.duration.percentile(0.5) or 0) < 10
    assert 120 < (step.duration.percentile(0.95) or 0) < 300
    assert step.latency.mean == pytest.approx((9 * 0.7 + 40) / 10, abs=0.1)
    assert step.duration.mean == pytest.approx((9 * 7 + 200) / 10, abs=1)


async def test_the_usual_duration_is_that_of_the_last_seven_days(engine: Engine) -> None:
    await ran(engine, 1000.0, n=5)
    now = await engine.db.fetchval("select now()")
    await fold_as_of(engine, now - 8 * DAY)
    await ran(engine, 3.0)
    await ran(engine, 3.0, key="mail")
    await engine.define("idle")
    await fold_as_of(engine, now - 6 * DAY)
    work, mail, idle = [await definition_id(engine, key) for key in ("work", "mail", "idle")]
    usual = await usual_durations(engine.db, [work, idle])
    assert set(usual) == {work}
    assert 2.5 < (usual[work].percentile(0.5) or 0) < 5
    assert usual[work].count == 1
    assert set(await usual_durations(engine.db, [work, mail, idle])) == {work, mail}


async def test_runs_that_did_not_come_to_their_own_end_have_a_latency_and_no_duration(engine: Engine) -> None:
    await engine.enqueue()
    worker = await engine.worker()
    await engine.claim(worker)
    await engine.lose(worker)
    await engine.rescue()
    await fold_deltas(engine.db)
    (total,) = await totals(engine.db)
    assert (total.latency.count, total.duration.count, total.counts.runs) == (1, 0, 1)


async def test_totals_are_for_each_tenant_and_definition_by_name(engine: Engine) -> None:
    await tenant(engine, "acme")
    await ran(engine, 1.0)
    await engine.enqueue("mail", tenant="acme")
    await fold_deltas(engine.db)
    found = [(total.tenant, total.definition, not_nought(total.counts)) for total in await totals(engine.db)]
    assert found == [
        ("acme", "mail", {"enqueued": 1}),
        ("default", "work", {"enqueued": 1, "succeeded": 1, "runs": 1}),
    ]


async def test_the_depth_is_what_the_last_sample_found(engine: Engine) -> None:
    assert await depth(engine.db) == (None, [])
    await engine.enqueue_many(4)
    await engine.enqueue("mail", queue="post")
    worker = await engine.worker()
    (held, *_) = await engine.claim(worker, 1)
    await engine.finish(worker, held, Failed("later"))
    await engine.claim(worker, 1)
    assert await sample_queue(engine.db) == 5
    found = await depth(engine.db)
    assert [(lane.queue, lane.definition, lane.status, lane.jobs) for lane in found.lanes] == [
        ("default", "work", "scheduled", 1),
        ("default", "work", "queued", 2),
        ("default", "work", "running", 1),
        ("post", "mail", "queued", 1),
    ]
    oldest = await engine.db.fetchval("select min(queued_at) from headrace.queue where status = 'queued'")
    assert found.lanes[1].oldest_queued_at == oldest
    assert found.sampled_at is not None
    assert abs(found.sampled_at - await engine.db.fetchval("select now()")) < MINUTE
    await engine.db.execute("delete from headrace.queue where status <> 'scheduled'")
    assert await sample_queue(engine.db) == 1
    assert [lane.status for lane in (await depth(engine.db)).lanes] == ["scheduled"]


async def test_the_deepest_of_a_minute_is_kept(engine: Engine) -> None:
    for jobs in (2, 5, 1):
        await engine.db.execute("delete from headrace.queue")
        await engine.enqueue_many(jobs)
        await sample_queue(engine.db)
    now = await engine.db.fetchval("select now()")
    for step in (MINUTE, HOUR):
        steps = await series(engine.db, since=now - HOUR, until=now + MINUTE, step=step)
        assert max(one.depth for one in steps) == 5


async def test_bounds_go_up_and_a_value_on_a_bound_lies_above_it(engine: Engine) -> None:
    bounds = await histogram_bounds(engine.db)
    assert bounds == sorted(set(bounds))
    found = await engine.db.fetchval("select width_bucket($1::float8, headrace.histogram_bounds())", bounds[3])
    assert found == 4
