"""What a worker remembers of jobs that came through a gate."""

from __future__ import annotations

from uuid import uuid4

from headrace.worker.claim.gates import Passed


def test_a_job_that_ended_is_remembered_no_longer() -> None:
    passed, jobs = Passed(), [uuid4(), uuid4()]
    passed.add(jobs)
    assert passed.have_ended(jobs)
    assert len(passed) == 0


def test_a_job_that_came_through_no_gate_opens_none() -> None:
    passed = Passed()
    assert not passed.have_ended([uuid4()])
    passed.add([uuid4()])
    assert not passed.have_ended([uuid4()])


def test_where_nobody_tells_of_ends_the_oldest_are_forgotten() -> None:
    passed, jobs = Passed(most=3), [uuid4() for _ in range(5)]
    for job in jobs:
        passed.add([job])
    assert len(passed) == 3
    assert not passed.have_ended(jobs[:2])
    assert passed.have_ended(jobs[2:])
