"""How pauses of queues, definitions and tenants are asked for and shown."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from headrace.api.schemas import RequestModel, ResponseModel, Text
from headrace.api.timestamps import Moment


class PauseAnswer(ResponseModel):
    """Why it stands still, and until when."""

    paused_at: datetime
    paused_by: str
    note: str
    resume_at: datetime | None


class PauseRequest(RequestModel):
    """How it is paused."""

    note: Text = Field(default="", max_length=1000, description="why, for others", examples=["provider is down"])
    resume_at: Moment | None = Field(default=None, description="when it goes on by itself")
