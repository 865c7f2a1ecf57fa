"""What pauses of queues, definitions and tenants have in common."""

from __future__ import annotations

from datetime import UTC, datetime

from headrace.errors import BadRequest


def check_end(resume_at: datetime | None) -> None:
    """A pause cannot have ended before it begins."""
    if resume_at is not None and resume_at <= datetime.now(UTC):
        raise BadRequest("resume_at lies in the past", field="resume_at")
