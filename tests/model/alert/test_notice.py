"""A notice in words and as JSON."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.model.alert.alerting import NOW, RULE, rule

from headrace.model.alert.description import describe
from headrace.model.alert.incident import Event, Incident
from headrace.model.alert.kind import ALERT_KINDS
from headrace.model.alert.kinds import complete_parameters
from headrace.model.alert.notice import TEST_BODY, Notice, as_bytes, as_json, body_of, compose, sign

JOB = UUID(int=9)
ONE = Incident(RULE, "work", NOW, NOW, 3, id=UUID(int=7), job_id=JOB, error="Boom: it broke", notices=1)


def notice(event: Event = "firing", *incidents: Incident, tenant: str | None = "acme") -> Notice:
    """About one alert, unless said otherwise."""
    return Notice(UUID(int=5), event, tenant, NOW, body_of(rule(), list(incidents) or [ONE]))


def test_the_title_says_what_is_wrong_and_where() -> None:
    assert compose(notice()).title == "[headrace] acme: the last 3 jobs of work failed"
    assert compose(notice(tenant=None)).title == "[headrace] all tenants: the last 3 jobs of work failed"
    assert compose(notice("repeated")).title == "[headrace] acme: still: the last 3 jobs of work failed"


def test_the_text_says_since_when_with_an_error_and_how_to_look_deeper() -> None:
    text = compose(notice(), public_url="https://jobs.example.com/").text
    assert text.splitlines() == [
        "the last 3 jobs of work failed.",
        "  since 2030-01-07 12:00:00 UTC",
        "  error: Boom: it broke",
        f"  headrace jobs show {JOB}",
        f"  headrace alerts show {UUID(int=7)} --tenant acme",
        "",
        "Rule: rule",
        "See headrace alerts list --tenant acme",
        "https://jobs.example.com/alerts",
    ]


def test_an_end_says_when_and_by_whom() -> None:
    ended = replace(ONE, closed_at=NOW + timedelta(minutes=5), closed_by="ann")
    message = compose(notice("recovered", ended))
    assert message.title == "[headrace] acme: recovered: the last 3 jobs of work failed"
    assert "closed 2030-01-07 12:05:00 UTC by ann" in message.text
    assert "Boom" not in message.text


def test_many_are_one_notice_that_names_the_first() -> None:
    message = compose(notice("firing", *(replace(ONE, subject=f"job-{n}") for n in range(30))))
    assert message.title == "[headrace] acme: 30 alerts of rule rule"
    assert "job-19" in message.text
    assert "job-20" not in message.text
    assert "… and 10 more." in message.text


def test_a_title_is_one_line_whatever_a_name_holds() -> None:
    message = compose(notice("firing", replace(ONE, subject="a\r\nBcc: eve@example.com\n" + "x" * 500)))
    assert "\n" not in message.title
    assert "\r" not in message.title
    assert len(message.title) < 300


def test_a_long_error_is_cut() -> None:
    assert len(compose(notice("firing", replace(ONE, error="x" * 100_000))).text) < 2000


def test_a_test_says_that_it_is_one() -> None:
    message = compose(Notice(UUID(int=5), "test", None, NOW, TEST_BODY))
    assert message.title == "[headrace] all tenants: a test notice"
    assert "Nothing is wrong" in message.text


def test_as_json_it_has_the_facts_and_a_text_for_chats() -> None:
    value = json.loads(as_bytes(as_json(notice())))
    assert value["event"] == "firing"
    assert value["tenant"] == "acme"
    assert value["rule"] == {"id": str(RULE), "name": "rule", "kind": "failures_in_a_row"}
    assert value["alerts"][0]["subject"] == "work"
    assert value["alerts"][0]["job_id"] == str(JOB)
    assert value["text"].startswith("[headrace] acme: the last 3 jobs of work failed\n\n")


def test_the_signature_is_what_the_page_says() -> None:
    body = as_bytes(as_json(notice()))
    header = dict(part.split("=") for part in sign("key", body, NOW).split(","))
    signed = header["t"].encode() + b"." + body
    assert hmac.compare_digest(header["v1"], hmac.new(b"key", signed, hashlib.sha256).hexdigest())
    assert int(header["t"]) == int(NOW.timestamp())


def test_the_example_on_the_page_knows_a_genuine_notice_from_others() -> None:
    page = (Path(__file__).parents[3] / "docs/how-to/alerts.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    known: dict[str, Any] = {}
    exec(code, known)  # noqa: S102 - our own page
    is_genuine, body, now = known["is_genuine"], b'{"a": 1}', datetime.now(UTC)
    assert is_genuine("key", sign("key", body, now), body)
    assert not is_genuine("other", sign("key", body, now), body)
    assert not is_genuine("key", sign("key", body, now), body + b" ")
    assert not is_genuine("key", sign("key", body, now - timedelta(hours=1)), body)


@pytest.mark.parametrize("kind", ALERT_KINDS)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_every_kind_has_a_sentence(kind: Any, count: int) -> None:
    said = describe(kind, "nightly", count, 7200.0, complete_parameters(kind, {}))
    assert "nightly" in said
    assert not said.endswith(".")
    assert "1 jobs" not in said
