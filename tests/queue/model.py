"""The queue as plain Python: what should be in the database after each step."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from headrace.model.job.outcome import (
    Cancel,
    Canceled,
    CannotRead,
    Fail,
    Failed,
    Outcome,
    Released,
    Retry,
    Snooze,
    Succeeded,
    TimedOut,
)

Attempt = tuple[int, str, str | None]


@dataclass
class ModelJob:
    """One job as it should be."""

    max_attempts: int
    dedupe_key: str | None
    waiting_only: bool
    status: str
    run: int = 0
    spent: int = 0
    worker: int | None = None
    suspect: bool = False
    cancel_requested: bool = False
    due: bool = False
    held_key: str | None = None
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def is_live(self) -> bool:
        return self.status in ("scheduled", "queued", "running")

    def waits(self, status: str) -> None:
        self.status, self.worker, self.due = status, None, False

    def ends(self, outcome: str, final: str | None) -> None:
        """Write down the run, and leave the queue when it was the last."""
        self.attempts.append((self.run, outcome, final))
        if final:
            self.status, self.worker, self.held_key = final, None, None
            self.suspect = self.cancel_requested = False

    def claimed_by(self, worker: int) -> None:
        self.status, self.worker, self.run = "running", worker, self.run + 1
        if self.waiting_only:
            self.held_key = None

    def finished(self, outcome: Outcome) -> None:
        written, final, spends, back_to = self._meaning(outcome)
        self.spent += spends
        if final is None and self.cancel_requested:
            written = final = "canceled"
        self.ends(written, final)
        if final is None:
            self.waits(back_to)
            self.suspect = self.suspect and written == "released"

    def _meaning(self, outcome: Outcome) -> tuple[str, str | None, int, str]:
        last = "dead_letter" if self.spent + 1 == self.max_attempts else None
        match outcome:
            case Succeeded():
                return "succeeded", "succeeded", 1, ""
            case Fail():
                return "failed", "failed", 1, ""
            case Cancel() | Canceled():
                return "canceled", "canceled", 1, ""
            case Released():
                return "released", None, 0, "queued"
            case CannotRead():
                return "released", None, 0, "scheduled"
            case Snooze():
                return "snoozed", None, 0, "scheduled" if outcome.for_ else "queued"
            case Retry():
                return "retried", last, 1, "scheduled" if outcome.after else "queued"
            case Failed():
                return "failed", last, 1, "scheduled"
            case TimedOut():
                return "timed_out", last, 1, "scheduled"

    def lost(self) -> None:
        self.spent += 1
        final = "canceled" if self.cancel_requested else "dead_letter" if self.spent == self.max_attempts else None
        self.ends("lost", final)
        if final is None:
            self.waits("queued")
            self.suspect = True

    def canceled(self) -> bool:
        if self.status == "running":
            self.cancel_requested = True
            return True
        if not self.is_live:
            return False
        self.run += 1
        self.ends("canceled", "canceled")
        return True

    def retried(self) -> None:
        run, outcome, _ = self.attempts[-1]
        self.attempts[-1] = (run, outcome, None)
        self.spent, self.held_key = 0, self.dedupe_key
        self.waits("queued")


class Model:
    """All jobs, and what the keys stand for."""

    def __init__(self) -> None:
        self.jobs: dict[UUID, ModelJob] = {}
        self.idempotency: dict[str, UUID] = {}

    def holder(self, dedupe_key: str | None) -> UUID | None:
        """The live job that holds the key."""
        held = [job_id for job_id, job in self.jobs.items() if dedupe_key and job.held_key == dedupe_key]
        assert len(held) <= 1
        return held[0] if held else None

    def with_status(self, *statuses: str) -> list[UUID]:
        return [job_id for job_id, job in self.jobs.items() if job.status in statuses]

    def holds(self, worker: int, job_id: UUID, run: int) -> bool:
        """Is this the fence of a run that goes on?"""
        job = self.jobs[job_id]
        return (job.status, job.worker, job.run) == ("running", worker, run)
