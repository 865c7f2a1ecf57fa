"""What becomes of due times while an earlier job of the same trigger is live."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

Overlap = Literal["allow", "skip", "queue_one", "cancel_running"]


class Settled(NamedTuple):
    """Which due times fire, which are skipped and why, which one waits, and whether what is live must go."""

    fire: list[datetime]
    skip: list[datetime]
    reason: Literal["overlap", "superseded"] = "overlap"
    pending: datetime | None = None
    cancel: bool = False


def settle_overlap(overlap: Overlap, due: list[datetime], *, live: bool, pending: datetime | None) -> Settled:
    """Settle what is due now, oldest first, behind what has been waiting."""
    waiting = [pending, *due] if pending is not None else due
    if overlap == "allow" or not waiting:
        return Settled(waiting, [])
    if overlap == "cancel_running":
        *older, newest = waiting
        if live:
            # Nothing new is due: what is live was told to go when this one began to wait.
            return Settled([], older, "superseded", pending=newest, cancel=bool(due))
        return Settled([newest], older, "superseded")
    if overlap == "skip":
        return Settled([], waiting) if live else Settled(waiting[:1], waiting[1:])
    if live:
        return Settled([], waiting[1:], pending=waiting[0])
    return Settled(waiting[:1], waiting[2:], pending=waiting[1] if len(waiting) > 1 else None)
