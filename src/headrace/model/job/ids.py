"""Ids are made of times, so a stretch of time is a stretch of ids."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID


def first_id(at: datetime) -> UUID:
    """The least id that can have been made then."""
    milliseconds = int(at.timestamp() * 1000)
    return UUID(int=min(max(milliseconds, 0), 2**48 - 1) << 80)
