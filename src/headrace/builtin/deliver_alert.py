"""`headrace.deliver_alert`: sends one notice of an alert. What fails is tried again, with longer and longer pauses."""

from __future__ import annotations

from typing import TypedDict
from uuid import UUID

from headrace.alerts.deliver import DeliveryConfig, deliver_notice
from headrace.builtin.workplace import Workplace
from headrace.model.secret.encryption import SecretBox


class Delivered(TypedDict):
    """What came of it."""

    sent: str
    status_code: int | None


async def deliver_alert(place: Workplace, notice_id: UUID, tenant: str | None = None) -> Delivered:
    """Send a notice to its target and record the attempt. Notices of one tenant are sent one at a time."""
    settings = place.settings
    box = SecretBox.read(settings.secret_key)
    means = DeliveryConfig(settings.alerts, settings.smtp, settings.server.public_url, box)
    sent = await deliver_notice(place.database.pool, notice_id, means)
    return Delivered(sent=sent.what, status_code=sent.status_code)
