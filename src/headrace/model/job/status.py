"""The state machine of a job, as data. The CHECK constraints of the tables mirror it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal


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

# Jobs that ended without success. A canceled job is not among them: it ended on purpose.
UNSUCCESSFUL = frozenset({JobStatus.FAILED, JobStatus.DEAD_LETTER})
# What a filter may name: a status, or all of these at once.
StatusWord = JobStatus | Literal["unsuccessful"]


def statuses_of(words: Iterable[StatusWord]) -> tuple[JobStatus, ...]:
    """The statuses that a filter names, each once."""
    return tuple(
        dict.fromkeys(
            status
            for word in words
            for status in (sorted(UNSUCCESSFUL) if word == "unsuccessful" else [JobStatus(word)])
        )
    )


# Only a person leaves a final status: by a retry, or of what failed by replacing it with another job.
NEXT: dict[JobStatus, frozenset[JobStatus]] = {
    JobStatus.SCHEDULED: frozenset({JobStatus.QUEUED, JobStatus.CANCELED}),
    JobStatus.QUEUED: frozenset({JobStatus.RUNNING, JobStatus.CANCELED}),
    JobStatus.RUNNING: FINAL | {JobStatus.SCHEDULED, JobStatus.QUEUED},
    JobStatus.SUCCEEDED: frozenset({JobStatus.QUEUED}),
    JobStatus.FAILED: frozenset({JobStatus.QUEUED, JobStatus.CANCELED}),
    JobStatus.CANCELED: frozenset({JobStatus.QUEUED}),
    JobStatus.DEAD_LETTER: frozenset({JobStatus.QUEUED, JobStatus.CANCELED}),
}
