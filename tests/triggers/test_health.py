"""What the health of triggers says, and when it says nothing."""

from __future__ import annotations

from datetime import timedelta

from tests.engine import Engine

from headrace.triggers.health import trigger_warnings

SCHEDULE = "select headrace.schedule('nightly', 'work', '0 3 * * *')"


async def test_a_trigger_whose_definition_nobody_runs_is_named_until_a_worker_comes(engine: Engine) -> None:
    await engine.define()
    await engine.db.execute(SCHEDULE)
    assert await trigger_warnings(engine.db) == ['no live worker runs "work", which 1 enabled triggers enqueue']
    await engine.worker()
    assert await trigger_warnings(engine.db) == []


async def test_a_worker_of_other_queues_does_not_count_nor_one_whose_lease_ran_out(engine: Engine) -> None:
    await engine.define()
    await engine.db.execute(SCHEDULE)
    await engine.worker(lease=timedelta(minutes=1))
    await engine.db.execute("update headrace.worker set queues = '{mail}'")
    assert len(await trigger_warnings(engine.db)) == 1
    await engine.db.execute("update headrace.worker set queues = '{mail,default}'")
    assert await trigger_warnings(engine.db) == []
    await engine.db.execute("update headrace.worker set lease_expires_at = now() - interval '1 second'")
    assert len(await trigger_warnings(engine.db)) == 1


async def test_a_disabled_or_finished_trigger_needs_no_worker(engine: Engine) -> None:
    await engine.define()
    await engine.db.execute(SCHEDULE)
    await engine.db.execute("update headrace.trigger set next_run_at = 'infinity'")
    assert await trigger_warnings(engine.db) == []
    await engine.db.execute("update headrace.trigger set next_run_at = null, enabled = false")
    assert await trigger_warnings(engine.db) == []


async def test_one_long_due_says_that_no_scheduler_runs(engine: Engine) -> None:
    await engine.define()
    await engine.worker()
    await engine.db.execute(SCHEDULE)
    await engine.db.execute("update headrace.trigger set next_run_at = now() - interval '5 minutes'")
    (warning,) = await trigger_warnings(engine.db)
    assert warning == "a trigger has been due for 300 s: check that a worker runs with its scheduler enabled"


async def test_a_fire_from_the_future_says_that_the_clock_went_back(engine: Engine) -> None:
    await engine.db.execute(
        "insert into headrace.fire (trigger_id, due_at, outcome, reason, triggered_by, at)"
        " values (gen_random_uuid(), now(), 'skipped', 'missed', 'scheduler', now() + interval '1 hour')"
    )
    (warning,) = await trigger_warnings(engine.db)
    assert "3600 s from now: the database's clock went back" in warning


async def test_a_trigger_that_was_disabled_by_an_error_is_named_with_it(engine: Engine) -> None:
    await engine.define()
    await engine.db.execute(SCHEDULE)
    await engine.db.execute("update headrace.trigger set enabled = false, last_error = 'No such zone.'")
    assert await trigger_warnings(engine.db) == [
        'trigger "nightly" of tenant "default" was disabled by an error: No such zone.'
    ]
