"""What keeps a due time from becoming a job, each with its reason: maxima, ends, failures, repeats, obstacles."""

from __future__ import annotations

import json

import pytest
from tests.engine import Engine
from tests.triggers.triggering import FAILED, SECOND, Line, end_jobs, hourly, jobs, live, tick

from headrace.triggers.rules import Rules

SCHEMA = json.dumps({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})


async def test_after_its_maximum_a_trigger_has_finished(engine: Engine) -> None:
    trigger = await hourly(engine, max_fires=2)
    await trigger.fire()
    assert not (await trigger.row())["finished"]
    await trigger.next_hour()
    found = await trigger.row()
    assert (found["finished"], found["enabled"], found["fires"]) == (True, True, 2)
    assert await tick(engine) == 0


async def test_catching_up_stops_at_the_maximum_and_says_so(engine: Engine) -> None:
    trigger = await hourly(engine, max_fires=2, catch_up="all")
    await trigger.fire(4)
    assert await trigger.reasons() == ["fired", "fired", "max_fires", "max_fires"]
    assert (await trigger.row())["finished"]


async def test_a_due_time_that_overlap_skipped_does_not_count(engine: Engine) -> None:
    trigger = await hourly(engine, max_fires=2, overlap="skip")
    for _ in range(3):
        await trigger.next_hour()
    assert not (await trigger.row())["finished"]
    await end_jobs(engine)
    await trigger.next_hour()
    assert await trigger.reasons() == ["fired", "overlap", "overlap", "fired"]
    assert (await trigger.row())["finished"]


@pytest.mark.parametrize("overlap", ["skip", "queue_one", "cancel_running"])
async def test_a_trigger_fires_as_often_as_its_maximum_however_its_jobs_overlap(engine: Engine, overlap: str) -> None:
    trigger = await hourly(engine, max_fires=3, overlap=overlap)
    for _ in range(3):
        await trigger.next_hour()
    for _ in range(9):
        await tick(engine)
        await end_jobs(engine)
        await trigger.next_hour()
    found = await trigger.row()
    assert (found["finished"], found["fires"], found["pending_due_at"]) == (True, 3, None)
    assert len(await jobs(engine, trigger.id)) == 3


async def test_a_due_time_that_repeats_a_payload_does_not_count(engine: Engine) -> None:
    trigger = await hourly(engine, max_fires=2, dedupe_window_seconds=60.0)
    for _ in range(3):
        await trigger.next_hour()
    assert not (await trigger.row())["finished"]
    await engine.db.execute("delete from headrace.dedupe")
    await trigger.next_hour()
    assert await trigger.reasons() == ["fired", "deduplicated", "deduplicated", "fired"]
    assert (await trigger.row())["finished"]


async def test_a_payload_that_could_not_be_made_does_not_count(engine: Engine) -> None:
    trigger = await hourly(engine, max_fires=1, payload={"n": "{{trigger.missing}}"})
    await trigger.fire()
    assert await trigger.reasons() == ["template_error"]
    await trigger.change(payload='{"n": 1}')
    await trigger.next_hour()
    assert await trigger.reasons() == ["template_error", "fired"]
    assert (await trigger.row())["finished"]


async def test_raising_the_maximum_lets_a_trigger_go_on(engine: Engine) -> None:
    trigger = await hourly(engine, max_fires=1)
    await trigger.fire()
    await trigger.change(max_fires=2)
    await tick(engine)
    await trigger.next_hour()
    found = await trigger.row()
    assert (found["fires"], found["finished"]) == (2, True)


async def test_the_last_due_time_before_the_end_fires_within_the_grace(engine: Engine) -> None:
    trigger = await hourly(engine, late=20 * SECOND)
    await trigger.change(ends_at=trigger.hour(-1) + SECOND, next_run_at=trigger.hour(-1))
    await tick(engine)
    assert await trigger.reasons() == ["fired"]
    assert (await trigger.row())["finished"]


async def test_after_the_end_nothing_fires_however_late(engine: Engine) -> None:
    trigger = await hourly(engine, late=600 * SECOND, catch_up="all")
    await trigger.change(ends_at=trigger.hour(-1) + SECOND, next_run_at=trigger.hour(-3))
    await tick(engine)
    assert await trigger.fires() == [Line(trigger.hour(-3), "skipped", "window_ended", trigger.hour(-1), 3)]
    assert (await trigger.row())["finished"]
    assert await live(engine) == 0


async def test_too_many_failures_in_a_row_pause_a_trigger_before_it_fires_again(engine: Engine) -> None:
    trigger = await hourly(engine, pause_on_failures=2)
    for _ in range(2):
        await trigger.next_hour()
        await end_jobs(engine, FAILED)
    assert (await trigger.row())["enabled"]
    await trigger.next_hour()
    found = await trigger.row()
    assert (found["enabled"], found["pause_note"]) == (False, "paused: the last 2 jobs failed")
    assert await trigger.reasons() == ["fired", "fired"]
    assert await live(engine) == 0


async def test_a_success_in_between_starts_the_count_again(engine: Engine) -> None:
    trigger = await hourly(engine, pause_on_failures=2)
    for outcome in (FAILED, None, FAILED):
        await trigger.next_hour()
        await end_jobs(engine, outcome)
    await trigger.next_hour()
    assert (await trigger.row())["enabled"]
    assert await trigger.reasons() == ["fired"] * 4


async def test_a_job_that_still_runs_is_not_counted_as_anything(engine: Engine) -> None:
    trigger = await hourly(engine, pause_on_failures=2)
    for _ in range(2):
        await trigger.next_hour()
        await end_jobs(engine, FAILED)
    await trigger.change(pause_on_failures=3)
    await trigger.next_hour()
    await trigger.change(pause_on_failures=2)
    await trigger.next_hour()
    assert not (await trigger.row())["enabled"]


async def test_after_enabling_failures_are_counted_anew(engine: Engine) -> None:
    trigger = await hourly(engine, pause_on_failures=1)
    await trigger.fire()
    await end_jobs(engine, FAILED)
    await trigger.next_hour()
    assert not (await trigger.row())["enabled"]
    await trigger.change(enabled=True)
    await tick(engine)
    found = await trigger.row()
    assert (found["enabled"], found["pause_note"]) == (True, None)
    assert await trigger.reasons() == ["fired", "disabled"]
    await trigger.next_hour()
    assert await trigger.reasons() == ["fired", "disabled", "fired"]
    await end_jobs(engine, FAILED)
    await trigger.next_hour()
    assert not (await trigger.row())["enabled"]


async def test_the_same_payload_within_the_window_enqueues_nothing_and_names_the_earlier_job(engine: Engine) -> None:
    trigger = await hourly(engine, dedupe_window_seconds=3600.0, payload={"a": 1})
    await trigger.fire()
    (first,) = await jobs(engine, trigger.id)
    until = await engine.db.fetchval("select until from headrace.dedupe")
    await trigger.next_hour()
    assert await trigger.reasons() == ["fired", "deduplicated"]
    named = await engine.db.fetchval("select job_id from headrace.fire where reason = 'deduplicated'")
    assert named == first["id"]
    assert (await trigger.row())["fires"] == 1
    # What was suppressed does not extend the window.
    assert await engine.db.fetchval("select until from headrace.dedupe") == until
    await engine.db.execute("update headrace.dedupe set until = clock_timestamp()")
    await trigger.next_hour()
    assert await trigger.reasons() == ["fired", "deduplicated", "fired"]


async def test_of_equal_payloads_in_one_batch_the_first_goes(engine: Engine) -> None:
    trigger = await hourly(engine, dedupe_window_seconds=60.0, catch_up="all")
    other = await hourly(engine, "other", dedupe_window_seconds=60.0)
    await other.come_due()
    await trigger.fire(3)
    assert await trigger.reasons() == ["fired", "deduplicated", "deduplicated"]
    assert await other.reasons() == ["fired"]
    assert await live(engine) == 2


async def test_other_payloads_go_within_the_window(engine: Engine) -> None:
    trigger = await hourly(engine, dedupe_window_seconds=60.0, catch_up="all", payload={"at": "{{scheduled_for}}"})
    await trigger.fire(3)
    assert await trigger.reasons() == ["fired"] * 3


@pytest.mark.parametrize(
    ("change_it", "reason"),
    [("enabled = false", "definition_disabled"), ("deleted_from_code_at = now()", "deleted_from_code")],
)
async def test_a_definition_that_cannot_run_is_the_reason(engine: Engine, change_it: str, reason: str) -> None:
    trigger = await hourly(engine)
    await engine.db.execute(f"update headrace.definition set {change_it}")
    await trigger.fire()
    assert await trigger.fires() == [Line(trigger.hour(-1), "skipped", reason)]
    found = await trigger.row()
    assert (found["enabled"], found["next_run_at"], found["fires"]) == (True, trigger.next, 0)
    assert await live(engine) == 0
    await engine.db.execute("update headrace.definition set enabled = true, deleted_from_code_at = null")
    await trigger.next_hour()
    assert await trigger.reasons() == [reason, "fired"]


async def test_a_template_that_finds_nothing_is_written_down_and_the_trigger_goes_on(engine: Engine) -> None:
    trigger, good = await hourly(engine, payload={"a": "{{trigger.nowhere}}"}), await hourly(engine, "good")
    await good.come_due()
    await trigger.fire()
    (line,) = await trigger.fires()
    assert (line.outcome, line.reason) == ("skipped", "template_error")
    assert line.detail is not None
    assert "payload.a" in line.detail
    found = await trigger.row()
    assert (found["enabled"], found["last_error"], found["next_run_at"]) == (True, line.detail, trigger.next)
    assert await good.reasons() == ["fired"]


async def test_a_payload_that_does_not_fit_is_written_down_until_the_definition_changes(engine: Engine) -> None:
    await engine.define("strict", payload_schema=SCHEMA)
    trigger = await hourly(engine, definition="strict", payload={"n": "one"})
    rules = Rules()  # of a scheduler that lives on
    await trigger.come_due()
    await tick(engine, rules=rules)
    (line,) = await trigger.fires()
    assert (line.reason, line.detail) == ("invalid_payload", 'n: "one" is not of type "integer"')
    assert (await trigger.row())["last_error"] == line.detail
    await engine.db.execute("update headrace.definition set payload_schema = '{}' where key = 'strict'")
    await trigger.pass_hour()
    await trigger.come_due()
    await tick(engine, rules=rules)
    assert await trigger.reasons() == ["invalid_payload", "fired"]
    assert (await trigger.row())["last_error"] is None


async def test_a_schema_that_is_none_stops_only_its_own_triggers(engine: Engine) -> None:
    await engine.define("broken", payload_schema='{"type": 5}')
    broken, good = await hourly(engine, definition="broken"), await hourly(engine, "good")
    await good.come_due()
    await broken.fire()
    assert await broken.reasons() == ["invalid_payload"]
    assert await good.reasons() == ["fired"]
