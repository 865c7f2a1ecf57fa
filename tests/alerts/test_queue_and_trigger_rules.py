"""Rules about queues, workers and triggers: each fires once and recovers once."""

from __future__ import annotations

from datetime import timedelta

from tests.alerts.alarming import Told, Watchman
from tests.triggers.triggering import add, hourly, move, reasons, tick

from headrace.queue.lease import WorkerIdentity, register_worker

MINUTE = timedelta(minutes=1)


async def worker_of(watch: Watchman, *queues: str, definitions: tuple[str, ...] = ("work",)) -> int:
    return await register_worker(
        watch.db, WorkerIdentity("test", "host", 1, "0", queues or ("*",), definitions, 1, MINUTE)
    )


async def test_a_job_that_waits_for_too_long_is_told_and_over_when_it_is_gone(watch: Watchman) -> None:
    await watch.rule("oldest_queued", seconds=300)
    job_id = await watch.engine.enqueue(queue="mail")
    assert await watch.look() == []
    await watch.age(timedelta(minutes=6))
    assert await watch.look() == [Told("firing", "ops-oldest_queued", ("mail",))]
    assert await watch.look() == []
    (alert,) = await watch.alerts()
    assert alert.what == "a job has waited in queue mail for 6 minutes; 1 job waits there"
    await watch.db.execute("select headrace.cancel($1)", job_id)
    assert await watch.look() == [Told("recovered", "ops-oldest_queued", ("mail",))]
    assert await watch.look() == []


async def test_a_paused_queue_keeps_nobody_waiting(watch: Watchman) -> None:
    await watch.rule("oldest_queued", seconds=300)
    await watch.engine.enqueue()
    await watch.age(timedelta(minutes=6))
    await watch.db.execute("insert into headrace.queue_pause (queue, paused_by) values ('default', 'ann')")
    assert await watch.look() == []
    await watch.db.execute("delete from headrace.queue_pause")
    assert len(await watch.look()) == 1


async def test_jobs_that_no_worker_runs_are_told_and_over_when_one_comes(watch: Watchman) -> None:
    await watch.rule("no_worker", seconds=60)
    await watch.engine.enqueue()
    await worker_of(watch, "mail")
    await worker_of(watch, "*", definitions=("other",))
    assert await watch.look() == []
    await watch.age(2 * MINUTE)
    assert await watch.look() == [Told("firing", "ops-no_worker", ("default",))]
    assert await watch.look() == []
    assert (await watch.alerts())[0].error == 'No live worker of queue default knows "work".'
    await worker_of(watch, "default")
    assert await watch.look() == [Told("recovered", "ops-no_worker", ("default",))]
    assert await watch.look() == []


async def test_definitions_that_are_gone_are_named_first_and_all_of_them(watch: Watchman) -> None:
    await watch.rule("no_worker", seconds=60)
    await watch.db.execute("create or replace function public.tidy() returns jsonb language sql return '{}'::jsonb")
    await watch.db.execute("select headrace.define_sql_job('tidy', 'public.tidy')")
    gone, there = [f"x{n}" for n in range(6)], [f"a{n}" for n in range(6)]
    for key in ("tidy", *there, *gone):
        await watch.engine.enqueue(key)
        await watch.engine.enqueue(key)
    await watch.db.execute("select headrace.undefine_sql_job('tidy')")
    await watch.db.execute("update headrace.definition set deleted_from_code_at = now() where key = any($1)", gone)
    await watch.age(2 * MINUTE)
    await watch.look()
    left = ", ".join(f'"{key}" (deleted from code)' for key in gone)
    (alert,) = await watch.alerts()
    assert alert.error == f'No live worker of queue default knows "tidy" (undefined), {left} and 6 more.'
    await watch.db.execute(
        "delete from headrace.queue using headrace.lane, headrace.definition as d"
        " where lane.id = lane_id and d.id = definition_id and d.key = any($1)",
        gone[1:],
    )
    await watch.look()
    (alert,) = await watch.alerts()
    shown = '"a0", "a1", "a2"'
    assert alert.error == (
        f'No live worker of queue default knows "tidy" (undefined), "x0" (deleted from code), {shown} and 3 more.'
    )


async def test_a_queue_that_is_named_is_told_also_when_nothing_waits_but_not_while_a_worker_restarts(
    watch: Watchman,
) -> None:
    rule_id = await watch.rule("no_worker", queue="mail", seconds=60)
    worker = await worker_of(watch, "mail")
    await watch.age(5 * MINUTE)
    assert await watch.look() == []
    await watch.db.execute("update headrace.worker set state = 'stopped', stopped_at = now() where id = $1", worker)
    assert await watch.look() == []
    await watch.db.execute(
        "update headrace.worker set stopped_at = now() - $1::interval, heartbeat_at = now() - $1::interval", 2 * MINUTE
    )
    assert await watch.look() == [Told("firing", "ops-no_worker", ("mail",))]
    assert (await watch.alerts())[0].rule_id == rule_id
    await worker_of(watch)
    assert await watch.look() == [Told("recovered", "ops-no_worker", ("mail",))]


async def test_a_tenants_rule_says_nothing_of_queues_in_which_its_jobs_cannot_be(watch: Watchman) -> None:
    acme = await watch.tenant("acme")
    await watch.rule("no_worker", tenant_id=acme, queue="hidden", seconds=60)
    await watch.age(5 * MINUTE)
    assert await watch.look() == []
    await watch.db.execute("update headrace.tenant set queues = '{hidden}' where id = $1", acme)
    assert await watch.look() == [Told("firing", "ops-no_worker", ("hidden",))]


async def test_a_missed_due_time_is_told_and_over_after_a_while(watch: Watchman) -> None:
    await watch.rule("missed_fire", within_seconds=600)
    trigger = await hourly(watch.engine, name="nightly")
    fires = (
        "insert into headrace.fire (trigger_id, due_at, outcome, reason, until, n, triggered_by)"
        " values ($1, now() - interval '3 hours', 'skipped', $2, now(), 3, 'scheduler')"
    )
    await watch.db.execute(fires, trigger.id, "missed")
    assert await watch.look() == [Told("firing", "ops-missed_fire", ("default/nightly",))]
    assert await watch.look() == []
    assert (await watch.alerts())[0].what == "trigger default/nightly missed 3 due times"
    await watch.age(timedelta(minutes=11))
    assert await watch.look() == [Told("recovered", "ops-missed_fire", ("default/nightly",))]
    assert await watch.look() == []


async def test_what_a_trigger_of_an_undefined_sql_job_is_due_for_is_missed(watch: Watchman) -> None:
    await watch.rule("missed_fire", late_seconds=60)
    await watch.db.execute("create or replace function public.tidy() returns jsonb language sql return '{}'::jsonb")
    await watch.db.execute("select headrace.define_sql_job('tidy', 'public.tidy')")
    trigger = await hourly(watch.engine, name="nightly", definition="tidy")
    await add(watch.engine, "on-file", definition="tidy", trigger_type="event", event="file.new")
    await tick(watch.engine)
    await watch.db.execute("select headrace.undefine_sql_job('tidy')")
    assert await watch.look() == []
    await move(watch.engine, trigger.id, -2 * timedelta(hours=1))
    await tick(watch.engine)
    assert await reasons(watch.engine, trigger.id) == ["superseded", "deleted_from_code"]
    assert await watch.look() == [Told("firing", "ops-missed_fire", ("default/nightly",))]
    await watch.db.execute(
        "update headrace.definition set deleted_from_code_at = now() - interval '2 minutes' where key = 'tidy'"
    )
    assert await watch.look() == [Told("firing", "ops-missed_fire", ("default/on-file",))]
    alerts = {alert.subject: alert for alert in await watch.alerts()}
    assert alerts["default/on-file"].what == ("trigger default/on-file makes no jobs: its definition was deleted")
    assert alerts["default/nightly"].error == 'The definition "tidy" was undefined, so the trigger can enqueue nothing.'


async def test_a_due_time_that_was_skipped_on_purpose_is_no_miss(watch: Watchman) -> None:
    await watch.rule("missed_fire")
    trigger = await hourly(watch.engine, name="nightly")
    for reason in ("overlap", "disabled", "skipped", "superseded"):
        await watch.db.execute(
            "insert into headrace.fire (trigger_id, due_at, occasion, outcome, reason, triggered_by)"
            " values ($1, now(), $2, 'skipped', $2, 'scheduler')",
            trigger.id,
            reason,
        )
    assert await watch.look() == []


async def test_a_trigger_that_is_due_and_that_nobody_fires_is_missed_until_somebody_does(watch: Watchman) -> None:
    await watch.rule("missed_fire", late_seconds=120)
    trigger = await hourly(watch.engine, name="nightly")
    late = (
        "update headrace.trigger set next_run_at = now() - $2::interval, fire_at = now() - $2::interval where id = $1"
    )
    await watch.db.execute(late, trigger.id, MINUTE)
    assert await watch.look() == []
    await watch.db.execute(late, trigger.id, 5 * MINUTE)
    assert await watch.look() == [Told("firing", "ops-missed_fire", ("default/nightly",))]
    assert "due for 5 minutes, and no scheduler fires it" in (await watch.alerts())[0].what
    await watch.db.execute(late, trigger.id, -60 * MINUTE)
    assert await watch.look() == [Told("recovered", "ops-missed_fire", ("default/nightly",))]


async def test_a_trigger_that_an_error_turned_off_is_told_and_over_when_it_is_on_again(watch: Watchman) -> None:
    await watch.rule("trigger_disabled")
    trigger = await hourly(watch.engine, name="nightly")
    await trigger.change(timezone="Mars/Olympus")
    await tick(watch.engine)
    assert await watch.look() == [Told("firing", "ops-trigger_disabled", ("default/nightly",))]
    assert await watch.look() == []
    (alert,) = await watch.alerts()
    assert alert.error is not None
    await trigger.change(timezone="UTC", enabled=True)
    assert await watch.look() == [Told("recovered", "ops-trigger_disabled", ("default/nightly",))]
    assert await watch.look() == []


async def test_a_trigger_that_a_person_turned_off_is_nobodys_alert(watch: Watchman) -> None:
    await watch.rule("trigger_disabled")
    trigger = await hourly(watch.engine, name="nightly")
    await watch.db.execute("update headrace.trigger set last_error = 'once' where id = $1", trigger.id)
    await trigger.change(enabled=False)
    assert await watch.look() == []
