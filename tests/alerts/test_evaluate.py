"""A look as a whole: one process at a time, all or nothing, and what people settle meanwhile."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.alerts.alarming import Told, Watchman
from tests.engine import Engine
from tests.waiting import until

from headrace.alerts import evaluate
from headrace.alerts.evaluate import evaluate_alerts
from headrace.alerts.incidents import acknowledge_alert, close_alert
from headrace.alerts.prune import prune_alerts, prune_notices
from headrace.alerts.readings import take_readings
from headrace.alerts.rules import delete_rule, set_rule_enabled, update_rule
from headrace.alerts.targets import delete_target
from headrace.db.connect import Connection
from headrace.errors import Conflict, NotFound
from headrace.model.alert.incident import Reading
from headrace.rollups.fold import fold_deltas
from headrace.worker.maintenance.due_watch import read_next_due

MINUTE = timedelta(minutes=1)
FIRING = Told("firing", "ops-job_died", ("work",))
RECOVERED = Told("recovered", "ops-job_died", ("work",))


async def test_several_who_look_at_once_tell_once(watch: Watchman) -> None:
    await watch.rule("job_died")
    await watch.fail_job()
    await fold_deltas(watch.db)
    others = [await watch.engine.endpoint.connect(f"evaluator {n}") for n in range(4)]
    try:
        for _ in range(3):
            await asyncio.gather(*(evaluate_alerts(conn) for conn in others))
    finally:
        for conn in others:
            conn.terminate()
    assert len(await watch.alerts()) == 1
    assert await watch.deliveries_enqueued() == 1


async def test_whoever_looks_has_it_alone_and_others_do_not_wait(watch: Watchman, engine: Engine) -> None:
    await watch.rule("job_died")
    other = await engine.endpoint.connect("evaluator")
    try:
        async with other.transaction():
            await other.execute("select from headrace.alert_turn for update")
            assert await evaluate_alerts(watch.db) is None
        assert await evaluate_alerts(watch.db) == 0
    finally:
        other.terminate()


async def test_one_who_dies_between_the_incident_and_its_notice_has_told_and_opened_nothing(
    watch: Watchman, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watch.rule("job_died")
    await watch.fail_job()
    await fold_deltas(watch.db)
    doomed = await engine.endpoint.connect("doomed")

    async def die(conn: Connection, **_notice: object) -> None:
        doomed.terminate()
        await conn.execute("select 1")

    with monkeypatch.context() as dying:
        dying.setattr(evaluate, "enqueue_notice", die)
        with pytest.raises(Exception, match="connection"):
            await evaluate_alerts(doomed)

    async def free() -> bool:
        return await evaluate_alerts(watch.db) is not None

    await until("its lock is free", free)
    assert len(await watch.alerts()) == 1
    assert await watch.deliveries_enqueued() == 1


async def test_it_is_due_only_while_there_are_rules_and_a_job_to_send_with(watch: Watchman) -> None:
    async def due() -> float | None:
        return (await read_next_due(watch.db)).alert

    assert await due() is None
    rule_id = await watch.rule("job_died")
    assert (await due() or 1) <= 0
    assert await evaluate_alerts(watch.db, when_due=True) == 0
    assert (await due() or 0) > 0
    assert await evaluate_alerts(watch.db, when_due=True) is None
    await watch.db.execute("update headrace.alert_turn set looked_at = default, took = default")
    await watch.db.execute("update headrace.definition set enabled = false where system")
    assert await due() is None
    await watch.db.execute("update headrace.definition set enabled = true where system")
    await set_rule_enabled(watch.db, rule_id, tenant_id=None, enabled=False, by="ann")
    assert await due() is None


async def test_a_long_look_makes_the_next_one_later(watch: Watchman) -> None:
    await watch.rule("job_died")
    await watch.db.execute("update headrace.alert_turn set looked_at = now() + '1 hour', took = '1 second'")
    assert 3600 < ((await read_next_due(watch.db)).alert or 0) <= 3650


async def test_a_tenants_rule_sees_that_tenants_jobs_alone(watch: Watchman) -> None:
    acme, globex = await watch.tenant("acme"), await watch.tenant("globex")
    await watch.rule("job_died", tenant_id=acme)
    await watch.rule("job_died", tenant_id=globex, targets=[await watch.target("globex", tenant_id=globex)])
    await watch.rule("job_died", targets=[await watch.target("root")])
    await watch.fail_job(tenant="acme")
    assert sorted(await watch.look()) == [FIRING, Told("firing", "root", ("work",))]


async def test_repeats_and_escalation_go_out_as_time_passes(watch: Watchman) -> None:
    first, second = await watch.target("first"), await watch.target("second")
    await watch.rule(
        "job_died", targets=[first], repeat_seconds=600, escalate_after=2, escalate_to=second, within_seconds=86_400
    )
    job_id = await watch.fail_job()
    told = [await watch.look()]
    for _ in range(3):
        await watch.age(timedelta(minutes=10))
        told.append(await watch.look())
        assert await watch.look() == []
    await watch.db.execute("select headrace.retry($1)", job_id)
    told.append(await watch.look())
    work = ("work",)
    assert [sorted(each) for each in told] == [
        [Told("firing", "first", work)],
        [Told("repeated", "first", work)],
        [Told("escalated", "second", work), Told("repeated", "first", work)],
        [Told("repeated", "first", work), Told("repeated", "second", work)],
        [Told("recovered", "first", work), Told("recovered", "second", work)],
    ]


async def test_many_subjects_are_one_notice_and_those_that_follow_wait_for_each_other(watch: Watchman) -> None:
    await watch.rule("job_died", group_seconds=60)
    for key in ("a", "b"):
        await watch.fail_job(key=key)
    assert [(one.event, sorted(one.subjects)) for one in await watch.look()] == [("firing", ["a", "b"])]
    for key in ("c", "d"):
        await watch.fail_job(key=key)
        assert await watch.look() == []
    await watch.db.execute("update headrace.alert_rule set told_at = told_at - interval '1 minute'")
    assert [(one.event, sorted(one.subjects)) for one in await watch.look()] == [("firing", ["c", "d"])]


async def test_in_quiet_hours_nothing_is_told_by_the_databases_clock(watch: Watchman) -> None:
    now = await watch.db.fetchval("select now()")
    start, end = (f"{now + timedelta(hours=by):%H:%M}" for by in (-1, 1))
    rule_id = await watch.rule("job_died", quiet_from=start, quiet_until=end, timezone="UTC")
    await watch.fail_job()
    assert await watch.look() == []
    assert len(await watch.alerts(open_=True)) == 1
    await update_rule(watch.db, rule_id, {"quiet_from": None, "quiet_until": None}, tenant_id=None)
    assert await watch.look() == [FIRING]


async def test_an_acknowledged_alert_is_silent_until_it_is_over(watch: Watchman) -> None:
    await watch.rule("job_died", repeat_seconds=600, within_seconds=86_400)
    job_id = await watch.fail_job()
    await watch.look()
    (alert,) = await watch.alerts()
    assert await acknowledge_alert(watch.db, alert.id, tenant_id=None, by="ann")
    assert not await acknowledge_alert(watch.db, alert.id, tenant_id=None, by="bob")
    await watch.age(timedelta(hours=1))
    assert await watch.look() == []
    await watch.db.execute("select headrace.retry($1)", job_id)
    assert await watch.look() == [RECOVERED]
    (alert,) = await watch.alerts()
    assert alert.acknowledged_by == "ann"
    with pytest.raises(Conflict, match="already closed"):
        await acknowledge_alert(watch.db, alert.id, tenant_id=None, by="bob")


async def test_one_that_is_closed_while_somebody_looks_stays_closed_and_is_told_as_over_once(
    watch: Watchman, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watch.rule("job_died", repeat_seconds=600, within_seconds=86_400)
    await watch.fail_job()
    await watch.look()
    (alert,) = await watch.alerts()
    await watch.age(timedelta(hours=1))
    other = await engine.endpoint.connect("ann")

    async def take_slowly(*arguments: Any) -> list[Reading]:
        await close_alert(other, alert.id, tenant_id=None, by="ann")
        return await take_readings(*arguments)

    with monkeypatch.context() as slow:
        slow.setattr(evaluate, "take_readings", take_slowly)
        assert await watch.look() == []
    other.terminate()
    assert await watch.look() == [RECOVERED]
    assert await watch.look() == []


async def test_a_rule_that_is_turned_off_closes_its_alerts_without_a_word(watch: Watchman) -> None:
    rule_id = await watch.rule("job_died")
    await watch.fail_job()
    await watch.look()
    assert await set_rule_enabled(watch.db, rule_id, tenant_id=None, enabled=False, by="ann")
    assert not await set_rule_enabled(watch.db, rule_id, tenant_id=None, enabled=False, by="ann")
    assert (await watch.alerts())[0].closed_by == "ann"
    assert await watch.look() == []
    await set_rule_enabled(watch.db, rule_id, tenant_id=None, enabled=True, by="ann")
    assert await watch.look() == []
    await watch.fail_job()
    assert await watch.look() == [FIRING]


async def test_a_deleted_rule_takes_its_alerts_with_it_and_leaves_what_was_sent(watch: Watchman) -> None:
    rule_id = await watch.rule("job_died")
    await watch.fail_job()
    await watch.look()
    await delete_rule(watch.db, rule_id, tenant_id=None)
    assert await watch.alerts() == []
    assert await watch.look() == []
    assert await watch.db.fetchval("select count(*) from headrace.alert_notice") == 1
    with pytest.raises(NotFound):
        await delete_rule(watch.db, rule_id, tenant_id=None)


async def test_a_target_is_not_deleted_while_a_rule_tells_it(watch: Watchman) -> None:
    target = await watch.target()
    rule_id = await watch.rule("job_died", targets=[target])
    with pytest.raises(Conflict, match="rules use this target: job_died"):
        await delete_target(watch.db, target, tenant_id=None)
    await delete_rule(watch.db, rule_id, tenant_id=None)
    await delete_target(watch.db, target, tenant_id=None)


async def test_old_alerts_and_notices_go_and_open_ones_stay(watch: Watchman) -> None:
    await watch.rule("job_died")
    job_id = await watch.fail_job()
    await watch.look()
    keep = timedelta(days=30)
    await watch.db.execute("update headrace.alert set since = since - interval '31 days'")
    assert await prune_alerts(watch.db, keep=keep) == 0
    await watch.db.execute("select headrace.retry($1)", job_id)
    await watch.look()
    assert await prune_alerts(watch.db, keep=keep) == 0
    await watch.db.execute("update headrace.alert set closed_at = closed_at - interval '31 days'")
    await watch.db.execute("update headrace.alert_notice set created_at = created_at - interval '31 days'")
    assert await prune_alerts(watch.db, keep=keep) == 1
    assert await prune_notices(watch.db, keep=keep) == 2
