"""Deliver: send one notice to its target, and write down how that went. A failure is for its job to try again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from headrace.alerts.command import run_command
from headrace.alerts.mail import send_mail
from headrace.alerts.sent import NotSent, Sent
from headrace.alerts.targets import secret_place
from headrace.alerts.webhook import post
from headrace.config import AlertsSettings, SmtpSettings
from headrace.db.connect import Pool
from headrace.db.statements import statements
from headrace.errors import HeadraceError
from headrace.model.alert.notice import Notice, as_bytes, as_json, compose, sign
from headrace.model.alert.target import mail_addresses
from headrace.model.alert.web_address import Allowed
from headrace.model.job.outcome import Cancel
from headrace.model.payload.stored_json import read_object
from headrace.model.secret.encryption import SecretBox
from headrace.model.text import clean

SQL = statements(__file__)
SIGNATURE, NOTICE_ID, EVENT = "Headrace-Signature", "Headrace-Notice-Id", "Headrace-Event"
MOST_ERROR = 1000


@dataclass(frozen=True, slots=True)
class DeliveryConfig:
    """What this process sends with."""

    alerts: AlertsSettings
    smtp: SmtpSettings
    public_url: str | None
    box: SecretBox

    @property
    def allowed(self) -> Allowed:
        """What may be reached within the own network."""
        return Allowed(self.alerts.allow_private, self.alerts.allow_hosts)


async def deliver_notice(pool: Pool, notice_id: UUID, means: DeliveryConfig) -> Sent:
    """Send it, unless it has arrived already; or `NotSent`, once that is written down."""
    async with pool.acquire() as conn:
        row = await conn.fetchrow(SQL["read_notice"], notice_id)
    if row is None or row["target_id"] is None:
        raise Cancel("the notice or its target was deleted")
    if row["sent_at"] is not None:
        return Sent("the notice had arrived before")
    try:
        sent, failure = await _send(pool, row, means), None
    except HeadraceError as error:
        sent, failure = Sent("", error.status_code if isinstance(error, NotSent) else None), error
    error_text = None if failure is None else clean(str(failure), MOST_ERROR)
    async with pool.acquire() as conn:
        await conn.execute(SQL["write_delivery"], notice_id, row["target"], row["now"], sent.status_code, error_text)
    if failure is not None:
        raise NotSent(f"{row['target']}: {failure}") from failure
    return sent


async def _send(pool: Pool, row: Any, means: DeliveryConfig) -> Sent:
    body = read_object(row["body"])
    notice = Notice(row["id"], row["event"], row["tenant"], row["created_at"], body)
    match row["kind"]:
        case "webhook":
            content = as_bytes(as_json(notice, public_url=means.public_url))
            return await post(
                row["address"],
                content,
                _headers(row, content, means.box),
                allowed=means.allowed,
                within=means.alerts.webhook_timeout_s,
                tls_ca=means.alerts.tls_ca,
            )
        case "email":
            message = compose(notice, public_url=means.public_url)
            return await send_mail(mail_addresses(row["address"]), message, means.smtp, notice_id=notice.id)
        case _:
            payload = as_json(notice, public_url=means.public_url)
            async with pool.acquire() as conn:
                return await run_command(conn, row["address"], payload, tenant=row["tenant"])


def _headers(row: Any, content: bytes, box: SecretBox) -> dict[str, str]:
    headers = {"Content-Type": "application/json", NOTICE_ID: str(row["id"]), EVENT: row["event"]}
    if row["secret"] is None:
        return headers
    key = box.decrypt(read_object(row["secret"]), place=secret_place(row["target_id"]))
    return {**headers, SIGNATURE: sign(key, content, row["now"])}
