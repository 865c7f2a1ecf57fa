"""Rules about jobs: each fires once and recovers once, for the right subject."""

from __future__ import annotations

from datetime import timedelta

from tests.alerts.alarming import Told, Watchman

from headrace.model.job.outcome import Fail, Retry

WORK = ("work",)


def fired(kind: str, *subjects: str) -> list[Told]:
    return [Told("firing", f"ops-{kind}", subjects or WORK)]


def recovered(kind: str, *subjects: str) -> list[Told]:
    return [Told("recovered", f"ops-{kind}", subjects or WORK)]


async def test_a_job_that_died_is_told_once_and_its_end_when_somebody_retries_it(watch: Watchman) -> None:
    await watch.rule("job_died")
    assert await watch.look() == []
    job_id = await watch.fail_job()
    assert await watch.look() == fired("job_died")
    assert await watch.look() == []
    (alert,) = await watch.alerts(open_=True)
    assert (alert.what, alert.job_id, alert.error) == ("1 job of work died", job_id, "Boom: it broke")
    await watch.db.execute("select headrace.retry($1)", job_id)
    assert await watch.look() == recovered("job_died")
    assert await watch.look() == []


async def test_jobs_that_die_after_the_first_are_counted_and_not_told_again(watch: Watchman) -> None:
    await watch.rule("job_died", within_seconds=600)
    for _ in range(3):
        await watch.fail_job()
        await watch.look()
    (alert,) = await watch.alerts()
    assert (alert.count, alert.notices) == (3, 1)
    await watch.age(timedelta(minutes=11))
    assert await watch.look() == recovered("job_died")


async def test_what_died_before_the_rule_was_made_does_not_count(watch: Watchman) -> None:
    await watch.fail_job()
    await watch.rule("job_died")
    assert await watch.look() == []


async def test_a_job_that_failed_for_good_has_not_died(watch: Watchman) -> None:
    await watch.rule("job_died")
    await watch.end_job(Fail("no such user"))
    assert await watch.look() == []


async def test_after_somebody_closed_it_only_what_dies_later_counts(watch: Watchman) -> None:
    await watch.rule("job_died")
    await watch.fail_job()
    await watch.look()
    await watch.db.execute("update headrace.alert set closed_at = clock_timestamp(), closed_by = 'ann'")
    assert await watch.look() == recovered("job_died")
    assert await watch.look() == []
    await watch.fail_job()
    assert await watch.look() == fired("job_died")


async def test_only_jobs_of_the_definition_that_is_named_count(watch: Watchman) -> None:
    await watch.rule("job_died", definition="mail")
    await watch.fail_job()
    assert await watch.look() == []
    await watch.fail_job(key="mail")
    assert await watch.look() == fired("job_died", "mail")


async def test_failures_in_a_row_are_told_with_the_nth_and_over_with_a_success(watch: Watchman) -> None:
    await watch.rule("failures_in_a_row", n=3)
    for _ in range(2):
        await watch.fail_job()
        assert await watch.look() == []
    await watch.end_job(Fail("no such user"))
    assert await watch.look() == fired("failures_in_a_row", "default/work")
    await watch.fail_job()
    assert await watch.look() == []
    await watch.end_job()
    assert await watch.look() == recovered("failures_in_a_row", "default/work")
    assert await watch.look() == []


async def test_a_success_between_failures_breaks_the_row(watch: Watchman) -> None:
    await watch.rule("failures_in_a_row", n=3)
    for _ in range(3):
        await watch.fail_job()
        await watch.end_job()
        await watch.fail_job()
        assert await watch.look() == []


async def test_a_row_goes_on_while_nothing_happens_and_through_days(watch: Watchman) -> None:
    await watch.rule("failures_in_a_row", n=2)
    await watch.fail_job()
    await watch.look()
    await watch.age(timedelta(days=1))
    await watch.fail_job()
    assert await watch.look() == fired("failures_in_a_row", "default/work")
    await watch.age(timedelta(hours=5))
    assert await watch.look() == []
    assert len(await watch.alerts(open_=True)) == 1


async def test_a_success_of_long_ago_within_the_row_is_seen_by_its_hour(watch: Watchman) -> None:
    await watch.rule("failures_in_a_row", n=2)
    await watch.fail_job()
    await watch.age(timedelta(days=2))
    await watch.end_job()
    await watch.look()
    await watch.db.execute("update headrace.rollup_hour set hour = hour - interval '1 day'")
    await watch.db.execute("delete from headrace.rollup")
    await watch.db.execute(
        "update headrace.attempt set finished_at = finished_at - interval '1 day' where final = 'succeeded'"
    )
    await watch.fail_job()
    assert await watch.look() == []


async def test_each_tenant_has_rows_of_its_own(watch: Watchman) -> None:
    acme, _ = await watch.tenant("acme"), await watch.tenant("globex")
    await watch.rule("failures_in_a_row", n=2, tenant_id=acme)
    await watch.rule("failures_in_a_row", n=2, name="all", targets=[await watch.target("root")])
    await watch.fail_job(tenant="acme")
    await watch.fail_job(tenant="globex")
    assert await watch.look() == []
    await watch.fail_job(tenant="globex")
    assert await watch.look() == [Told("firing", "root", ("globex/work",))]
    await watch.fail_job(tenant="acme")
    assert sorted(await watch.look()) == [
        Told("firing", "ops-failures_in_a_row", WORK),
        Told("firing", "root", ("acme/work",)),
    ]


async def test_a_failure_rate_is_told_above_its_share_and_over_below(watch: Watchman) -> None:
    await watch.rule("failure_rate", percent=50, min_attempts=4, within_seconds=600)
    await watch.fail_job()
    await watch.end_job()
    await watch.fail_job()
    assert await watch.look() == []
    await watch.end_job(Retry(after=60), max_attempts=3)
    assert await watch.look() == fired("failure_rate")
    assert await watch.look() == []
    (alert,) = await watch.alerts()
    assert alert.what == "75 % of the attempts of work failed in the last 10 minutes"
    assert alert.error == "Boom: it broke"
    for _ in range(3):
        await watch.end_job()
    assert await watch.look() == recovered("failure_rate")
    assert await watch.look() == []


async def test_a_run_of_many_times_the_usual_is_told_and_over_with_its_end(watch: Watchman) -> None:
    await watch.rule("running_long", times=3, min_seconds=60, min_runs=5)
    worker = await watch.engine.worker()
    long_id = await watch.engine.enqueue()
    (held,) = await watch.engine.claim(worker)
    started = "update headrace.queue set claimed_at = now() - interval '10 minutes' where job_id = $1"
    await watch.db.execute(started, long_id)
    assert await watch.look() == []  # nothing is usual yet
    for _ in range(5):
        await watch.end_job()
    assert await watch.look() == fired("running_long")
    assert await watch.look() == []
    (alert,) = await watch.alerts()
    assert alert.job_id == long_id
    await watch.engine.finish(worker, held)
    assert await watch.look() == recovered("running_long")


async def test_what_the_sending_of_notices_does_is_no_alert(watch: Watchman) -> None:
    for kind in ("job_died", "failures_in_a_row", "failure_rate"):
        await watch.rule(kind, **({"n": 1} if kind == "failures_in_a_row" else {}))  # type: ignore[arg-type]
    await watch.fail_job(key="headrace.deliver_alert", tenant="_headrace")
    assert await watch.look() == []
