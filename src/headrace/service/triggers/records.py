"""Pages of triggers, and of what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from headrace.model.trigger.record import Delivered, Fire, Trigger


class TriggerPage(NamedTuple):
    """Triggers by name."""

    items: Sequence[Trigger]
    next_cursor: str | None


class FirePage(NamedTuple):
    """Fires, newest first."""

    items: Sequence[Fire]
    next_cursor: str | None


class EventDeliveryPage(NamedTuple):
    """What came of events, newest first."""

    items: Sequence[Delivered]
    next_cursor: str | None
