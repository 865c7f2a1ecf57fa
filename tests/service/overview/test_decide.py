"""From facts to sentences."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from headrace.service.overview.decide import assess, span
from headrace.service.overview.facts import Failing, Gone, OverviewFacts, Silent, TriggerFacts, Unread, WaitingQueue

SINCE = datetime(2026, 3, 5, 13, 48, tzinfo=UTC)
WELL = OverviewFacts(
    failing=[],
    waiting=[],
    unread=[],
    silent=[],
    triggers=TriggerFacts(9, 0, None, None, None),
    gone=[],
    ended=6391,
    definitions=5,
    ever=True,
    workers=4,
    slots=32,
    busy=23,
    snapshot=3.0,
)
FAILING = Failing("sync-dropbox", 1164, 588, 5000, 20, 580, 17, SINCE)
SYNC = WaitingQueue("sync", 196, 252.0, False, 1, 8, 8)


def test_when_nothing_is_wrong_it_says_what_there_was() -> None:
    health = assess(replace(WELL, waiting=[WaitingQueue("mail", 3, 1.6, False, 2, 16, 9)]))

    assert health.title == "All well"
    assert health.lead == "6,391 jobs in the last hour; none waits longer than 2 s."
    assert health.findings == []
    assert health.rest == "5 active definitions, 9 triggers, 23 of 32 slots busy, oldest snapshot 3 s."


def test_on_the_first_day_it_says_who_is_ready() -> None:
    assert assess(replace(WELL, ever=False, workers=1)).lead == "No jobs yet. 1 worker ready."
    assert assess(replace(WELL, ever=False, workers=0)).lead == "No jobs yet. No worker yet."


def test_the_worst_is_the_headline_and_says_how_bad_it_is() -> None:
    health = assess(replace(WELL, failing=[FAILING], waiting=[SYNC], silent=[Silent("nyc-2", 161)]))

    assert health.title == "sync-dropbox is failing"
    assert health.lead == "588 of 1,164 attempts timed out in the last 15 minutes. 17 jobs became dead letters."
    assert [finding.title for finding in health.findings] == [
        "sync-dropbox is failing",
        "Queue sync is behind",
        "Worker nyc-2 is silent",
    ]
    assert health.findings[1].detail == "196 jobs wait, the oldest for 4 m 12 s. All 8 slots are busy."


@pytest.mark.parametrize(
    "failing",
    [
        FAILING._replace(bad=4, runs=4),  # too few to mean anything
        FAILING._replace(bad=50, runs=1000),  # a small share
        FAILING._replace(bad=200, runs=1000, runs_before=1000, bad_before=180),  # no more than before
    ],
    ids=["few", "small", "as before"],
)
def test_chance_and_what_was_so_before_are_no_news(failing: Failing) -> None:
    assert assess(replace(WELL, failing=[failing])).findings == []


def test_what_always_fails_stays_a_finding() -> None:
    always = FAILING._replace(runs=100, bad=100, runs_before=1000, bad_before=1000)
    assert assess(replace(WELL, failing=[always])).title == "sync-dropbox is failing"


def test_a_queue_that_nobody_serves_says_how_to_start_a_worker() -> None:
    health = assess(replace(WELL, waiting=[WaitingQueue("exports", 12, 540.0, False, 0, 0, 0)]))

    assert health.title == "No worker serves queue exports"
    assert health.lead == ("12 jobs wait, the oldest for 9 m 00 s. Start one with headrace worker --queues exports.")


def test_a_paused_queue_is_no_fault_of_workers() -> None:
    [finding] = assess(replace(WELL, waiting=[SYNC._replace(paused=True, jobs=1, workers=0)])).findings

    assert (finding.level, finding.title) == ("warn", "Queue sync is paused")
    assert finding.detail == "1 job waits, the oldest for 4 m 12 s."


def test_triggers_in_error_and_a_late_scheduler_are_found() -> None:
    health = assess(replace(WELL, triggers=TriggerFacts(9, 2, "nightly", "no such zone", 95.0)))

    assert [finding.title for finding in health.findings] == ["2 triggers are in error", "The scheduler is behind"]
    assert health.findings[0].detail == "nightly: no such zone"


def test_what_no_worker_knows_is_named_before_all_else_and_makes_no_queue_late() -> None:
    unknown = WaitingQueue("default", 3, 7200.0, False, 2, 16, 0, "charge", True)
    gone = [Gone("tidy", True, 1, "nightly"), Gone("charge", False, 2, "monthly")]
    health = assess(replace(WELL, failing=[FAILING], waiting=[SYNC, unknown], gone=gone))

    assert [finding.title for finding in health.findings] == [
        "No worker knows definition charge",
        "Trigger nightly makes no jobs",
        "2 triggers make no jobs",
        "sync-dropbox is failing",
        "Queue sync is behind",
    ]
    assert health.lead == (
        "3 jobs wait, the oldest for 2 h 00 m in queue default. The definition was deleted from code: start a "
        "worker that still has it, or cancel the jobs."
    )
    assert (
        health.findings[1].detail == "Definition tidy was undefined. Restore the definition, or turn off its triggers."
    )


def test_an_old_snapshot_is_found_where_it_may_be_known() -> None:
    assert assess(replace(WELL, snapshot=3600)).title == "The database holds an old snapshot"
    assert assess(replace(WELL, snapshot=None)).findings == []


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.4, "0 s"), (59.4, "59 s"), (60, "1 m 00 s"), (252, "4 m 12 s"), (11_120, "3 h 05 m"), (190_000, "2 d 4 h")],
)
def test_stretches_of_time_are_written_as_in_the_dashboard(seconds: float, said: str) -> None:
    assert span(seconds) == said


def test_jobs_that_no_worker_can_read_are_said_with_both_versions() -> None:
    health = assess(replace(WELL, unread=[Unread("charge", 3, 130.0, "new", ["old"])]))
    assert health.title == "Jobs were enqueued by a newer version of charge"
    assert health.lead == (
        "3 jobs could not be read for 2 m 10 s, and will be dead letters unless workers of that version come. "
        "new was declared last; live workers have old."
    )
    health = assess(replace(WELL, unread=[Unread("charge", 1, 5.0, "new", ["new"])]))
    assert health.title == "Jobs of charge fit no version of it"
