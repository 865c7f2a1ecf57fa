"""A notice: what one target is told of one or many alerts, in words and as JSON."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from headrace.model.alert.description import describe
from headrace.model.alert.incident import Event, Incident
from headrace.model.alert.rule import AlertRule
from headrace.model.text import clean

MOST_ALERTS = 20
MOST_ERROR = 500
MOST_TITLE = 200
BEGINNINGS = {"firing": "", "repeated": "still: ", "escalated": "escalated: ", "recovered": "recovered: ", "test": ""}


@dataclass(frozen=True, slots=True)
class Notice:
    """What is to be told; `body` has the rule and its alerts as they were when it was decided."""

    id: UUID
    event: Event
    tenant: str | None
    created_at: datetime
    body: Mapping[str, Any]


class Message(NamedTuple):
    """A notice for people."""

    title: str
    text: str


def body_of(rule: AlertRule, incidents: Sequence[Incident]) -> dict[str, Any]:
    """The facts of a notice. Of very many alerts it names the first."""
    return {
        "rule": {"id": str(rule.id), "name": rule.name, "kind": rule.kind},
        "count": len(incidents),
        "alerts": [_alert(rule, one) for one in incidents[:MOST_ALERTS]],
    }


TEST_BODY: Mapping[str, Any] = {"rule": None, "count": 0, "alerts": []}


def _alert(rule: AlertRule, incident: Incident) -> dict[str, Any]:
    return {
        "id": str(incident.id),
        "subject": incident.subject,
        "what": describe(rule.kind, incident.subject, incident.count, incident.measure, rule.parameters),
        "since": incident.since.isoformat(),
        "count": incident.count,
        "notices": incident.notices,
        "job_id": None if incident.job_id is None else str(incident.job_id),
        "error": None if incident.error is None else clean(incident.error, MOST_ERROR),
        "closed_at": None if incident.closed_at is None else incident.closed_at.isoformat(),
        "closed_by": incident.closed_by,
    }


def compose(notice: Notice, *, public_url: str | None = None) -> Message:
    """The notice in words: what is wrong and where; then since when, how often, an error, and how to look deeper."""
    where = "all tenants" if notice.tenant is None else notice.tenant
    if notice.event == "test":
        return Message(
            f"[headrace] {where}: a test notice", "This is a test: alerts of Headrace reach you here. Nothing is wrong."
        )
    alerts, name = notice.body["alerts"], notice.body["rule"]["name"]
    count = notice.body["count"]
    what = alerts[0]["what"] if count == 1 else f"{count} alerts of rule {name}"
    # On one line, whatever a name holds: it is also the subject of a mail.
    title = " ".join(clean(f"[headrace] {where}: {BEGINNINGS[notice.event]}{what}", MOST_TITLE).split())
    lines = [line for alert in alerts for line in _lines(notice, alert)]
    if count > len(alerts):
        lines += [f"… and {count - len(alerts)} more.", ""]
    lines += [f"Rule: {name}", f"See headrace alerts list{_tenant(notice)}"]
    if public_url is not None:
        lines.append(f"{public_url.rstrip('/')}/alerts")
    return Message(title, "\n".join(lines) + "\n")


def _lines(notice: Notice, alert: Mapping[str, Any]) -> Iterator[str]:
    yield f"{BEGINNINGS[notice.event]}{alert['what']}."
    yield f"  since {_moment(alert['since'])}" + (f", {alert['notices']} notices" if alert["notices"] > 1 else "")
    if alert["closed_at"] is not None:
        by = f" by {alert['closed_by']}" if alert["closed_by"] else ""
        yield f"  closed {_moment(alert['closed_at'])}{by}"
    elif alert["error"]:
        yield "  error: " + alert["error"].replace("\n", "\n    ")
    if alert["job_id"] is not None and alert["closed_at"] is None:
        yield f"  headrace jobs show {alert['job_id']}"
    yield f"  headrace alerts show {alert['id']}{_tenant(notice)}"
    yield ""


def _tenant(notice: Notice) -> str:
    return "" if notice.tenant is None else f" --tenant {notice.tenant}"


def _moment(text: str) -> str:
    return f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M:%S} UTC"


def as_json(notice: Notice, *, public_url: str | None = None) -> dict[str, Any]:
    """The notice for programs. Chats that take `text` show it as it is."""
    message = compose(notice, public_url=public_url)
    return {
        "id": str(notice.id),
        "event": notice.event,
        "at": notice.created_at.isoformat(),
        "tenant": notice.tenant,
        "title": message.title,
        "text": f"{message.title}\n\n{message.text}",
        **notice.body,
    }


def as_bytes(value: Mapping[str, Any]) -> bytes:
    """JSON as it is sent and signed."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def sign(secret: str, body: bytes, at: datetime) -> str:
    """The header `t=seconds,v1=…`, an HMAC-SHA256 of "seconds.body". By the time, old ones can be refused."""
    seconds = int(at.timestamp())
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={digest}"
