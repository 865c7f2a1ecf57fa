"""What a worker says of its runs in its own log: one line for each thing that happens to a job, in fixed words.

What is as it should be is said at level debug, for it happens thousands of times a second; `loud` says it to people.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar

from headrace.log import add_context_provider, get_logger
from headrace.model.job.record import ClaimedJob
from headrace.model.job.status import JobStatus
from headrace.model.job.transition import Transition
from headrace.worker.transport.interface import Transport

NAME = "headrace.worker"
log = get_logger(NAME)

# The worker within which a line is written; its id changes when it registers anew.
speaker: ContextVar[Transport | None] = ContextVar("headrace_speaker", default=None)


def _about_worker() -> dict[str, int]:
    transport = speaker.get()
    return {} if transport is None or not transport.worker_id else {"worker_id": transport.worker_id}


add_context_provider(_about_worker)

ENDS = {
    JobStatus.SUCCEEDED: "job succeeded",
    JobStatus.FAILED: "job failed",
    JobStatus.DEAD_LETTER: "job died",
    JobStatus.CANCELED: "job canceled",
}
# Of a job that waits again.
AGAIN = {"snoozed": "job snoozed", "released": "job released"}
UNREADABLE = "the job is released without using up an attempt; live workers of another version get its definition"


class EventLog:
    """Whether anybody listens is asked once, when the worker starts: a no-op job takes less time than the question."""

    def __init__(self, *, loud: bool = False) -> None:
        self._loud = loud
        self._unreadable: set[str] = set()
        self.says_all = loud or logging.getLogger(NAME).isEnabledFor(logging.DEBUG)

    def started(self, job: ClaimedJob) -> None:
        """A run begins."""
        if not self._loud:  # for people the end is enough
            log.debug("job started", **job.about(), max_attempts=job.max_attempts, source=job.source)

    def ended(self, job: ClaimedJob, transition: Transition | None) -> None:
        """A run has ended, and what becomes of its job is decided; by others if the lease was lost."""
        fields = job.about()
        if transition is None:
            log.warning("lease lost", **fields)
            return
        match transition.final:
            case None if transition.outcome == "unreadable":
                # Once for each definition: while versions change, there may be thousands.
                tell = log.debug if job.definition in self._unreadable else log.warning
                self._unreadable.add(job.definition)
                tell("job unreadable", **fields, error=transition.error, note=UNREADABLE)
            case None:
                again = AGAIN.get(transition.outcome, "job retried")
                tell = log.info if transition.outcome in AGAIN else log.warning
                seconds = round(transition.delay, 1)
                tell(again, **fields, outcome=transition.outcome, error=transition.error, delay_seconds=seconds)
            case JobStatus.SUCCEEDED if self._loud:
                log.info(ENDS[transition.final], **fields, result=transition.result)
            case JobStatus.SUCCEEDED:
                log.debug(ENDS[transition.final], **fields)
            case JobStatus.CANCELED:
                log.info(ENDS[transition.final], **fields, reason=transition.error)
            case _:
                log.error(ENDS[transition.final], **fields, outcome=transition.outcome, error=transition.error)
