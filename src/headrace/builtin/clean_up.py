"""What Headrace leaves behind itself: expired sessions, tokens that open nothing, deliveries of long ago."""

from __future__ import annotations

from datetime import timedelta

from headrace.builtin.delete_rows import Deleted, DeleteRule, delete_expired, delete_rows
from headrace.builtin.workplace import Workplace

DELIVERY_HOURS = 168.0


async def clean_up_sessions(place: Workplace) -> Deleted:
    """Remove sessions of the dashboard that have expired."""
    async with place.connection() as conn:
        return await delete_expired(conn, "session", timedelta(0))


async def clean_up_tokens(place: Workplace, days: float | None = None) -> Deleted:
    """Remove tokens of the API that expired or were revoked longer ago than the configuration says, or than that."""
    keep = timedelta(days=place.settings.retention.tokens_days if days is None else days)
    async with place.connection() as conn:
        return await delete_expired(conn, "token", keep)


async def prune_deliveries(place: Workplace, retention_hours: float = DELIVERY_HOURS) -> list[Deleted]:
    """Remove the log of deliveries of alerts, and the notices that were sent, after so many hours."""
    keep = timedelta(hours=retention_hours)
    rules = (
        DeleteRule("headrace.alert_delivery", ("at",), keep),
        DeleteRule("headrace.alert_notice", ("created_at",), keep),
    )
    async with place.connection() as conn:
        return [await delete_rows(conn, rule) for rule in rules]
