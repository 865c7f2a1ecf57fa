"""How pauses of queues, definitions and tenants are asked for and shown."""

from __future__ import annotations

from datetime import datetime, timedelta

from pydantic import Field

from headrace.api.schemas import RequestModel, ResponseModel, Text
from headrace.api.timestamps import time_or_length
from headrace.model.time.timestamps import LONGEST_AHEAD, Moment


class PauseAnswer(ResponseModel):
    """A pause: its reason and its end."""

    paused_at: datetime
    paused_by: str
    note: str
    resume_at: datetime | None


class PauseRequest(RequestModel):
    """A pause to begin."""

    note: Text = Field(
        default="", max_length=1000, description="the reason, for other people", examples=["provider is down"]
    )
    resume_at: Moment | None = Field(default=None, description="when the pause ends by itself")
    resume_after_seconds: float | None = Field(
        default=None, gt=0, le=LONGEST_AHEAD, description="the time from now until resume_at"
    )

    def end(self) -> datetime | timedelta | None:
        """When it goes on by itself: a time, or a length of time from now."""
        return time_or_length("resume", self.resume_at, self.resume_after_seconds)
