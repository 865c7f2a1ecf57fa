"""The state machine of a job, as data. The CHECK constraints of the tables mirror it."""

from __future__ import annotations

from enum import StrEnum


class JobStatus(StrEnum):
    SCHEDULED = "scheduled"
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    DEAD_LETTER = "dead_letter"

    @property
    def is_final(self) -> bool:
        return self in FINAL


LIVE = frozenset({JobStatus.SCHEDULED, JobStatus.QUEUED, JobStatus.RUNNING})
FINAL = frozenset({JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.CANCELED, JobStatus.DEAD_LETTER})

# Only a person's retry leaves a final status.
NEXT: dict[JobStatus, frozenset[JobStatus]] = {
    JobStatus.SCHEDULED: frozenset({JobStatus.QUEUED, JobStatus.CANCELED}),
    JobStatus.QUEUED: frozenset({JobStatus.RUNNING, JobStatus.CANCELED}),
    JobStatus.RUNNING: FINAL | {JobStatus.SCHEDULED, JobStatus.QUEUED},
    JobStatus.SUCCEEDED: frozenset({JobStatus.QUEUED}),
    JobStatus.FAILED: frozenset({JobStatus.QUEUED}),
    JobStatus.CANCELED: frozenset({JobStatus.QUEUED}),
    JobStatus.DEAD_LETTER: frozenset({JobStatus.QUEUED}),
}
