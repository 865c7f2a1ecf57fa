"""JSON that nobody can show, at the door and in rows that are there already."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.worker.test_worker import Hand, status

from headrace.triggers.dispatch import dispatch_events
from headrace.triggers.rules import Rules

DEEP, LONG = "[" * 300 + "]" * 300, "1" * 5000
AT = "2026-01-01T00:00:00Z"


@pytest.fixture
async def hand(api: Api) -> AsyncIterator[Hand]:
    """A registered worker."""
    async with await api.caller("worker") as client:
        hand = Hand(client)
        await hand.register()
        yield hand


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (DEEP, "JSON is nested more than 64 deep"),
        (LONG, "a number has more than 400 digits"),
        ("1e5000", "a number has more than 400 digits"),
        (json.dumps("x" * 1_000_001), "characters (at most"),
    ],
    ids=["deep", "digits", "exponent", "size"],
)
async def test_what_a_worker_says_is_refused_by_the_name_of_its_field_and_the_job_still_ends(
    api: Api, hand: Hand, text: str, problem: str
) -> None:
    job_id = await api.hr.enqueue("work", {})
    (job,) = await hand.claim()
    run = {"job_id": job["id"], "run": job["run"]}
    line = {**run, "seq": 1, "at": AT, "message": "hello", "fields_json": text}
    answers = {
        "lines.0.fields_json": await hand.post("logs", lines=[line]),
        "ended.0.result_json": await hand.post("jobs/finish", ended=[{**run, "result_json": text}]),
    }
    for field, answer in answers.items():
        assert answer.status_code == 422, (field, answer.text)
        (error,) = answer.json()["errors"]
        assert (error["field"], problem in error["message"]) == (field, True), error
    assert (await api.system.logs.read(job_id)).lines == []
    assert await status(api, job_id) == "running"
    assert (await hand.of(job, "fail", error="the result could not be stored", retryable=False)).status_code == 200
    assert await status(api, job_id) == "failed"


async def seed(api: Api, value: str) -> UUID:
    """A job, event, trigger, definition and audit row of acme's with that JSON, as before it was refused."""
    payload = f'{{"x": {value}}}'
    async with api.owner() as conn:
        job_id: UUID = await conn.fetchval("select headrace.enqueue('work', tenant => 'acme')")
        await conn.execute("update headrace.job set payload = $2 where id = $1", job_id, payload)
        event_id = await conn.fetchval("select headrace.emit('order.paid', tenant => 'acme')")
        await conn.execute("update headrace.event set data = $2 where id = $1", event_id, payload)
        await conn.execute(
            "insert into headrace.log (tenant_id, definition_id, job_id, run, seq, at, level, stream, message, fields)"
            " select tenant_id, definition_id, id, 1, 1, now(), 20, 0, 'hello', $2 from headrace.job where id = $1",
            job_id,
            payload,
        )
        await conn.execute("update headrace.trigger set payload = $1, declared = $1", payload)
        await conn.execute(
            "update headrace.definition set payload_schema = $1, declared = $1 where key = 'hold'", payload
        )
        await conn.execute(
            "insert into headrace.audit (who, role, action, tenant_id, target, detail)"
            " select 'x', 'super_admin', 'x', id, 'x', $1 from headrace.tenant where name = 'acme'",
            payload,
        )
    await api.end(str(job_id), "succeeded")
    await api.execute("update headrace.attempt set result = $2, detail = $3 where job_id = $1", job_id, value, payload)
    return job_id


@pytest.mark.parametrize("value", [DEEP, LONG, "1" * 400 + ".5"], ids=["deep", "digits", "infinite"])
async def test_every_page_shows_a_row_that_cannot_be_read_with_the_reason(
    api: Api, acme: httpx.AsyncClient, admin: httpx.AsyncClient, value: str
) -> None:
    new = {"name": "nightly", "definition": "work", "cron": "0 2 * * *"}
    trigger_id = (await acme.post("/api/v1/jobs/triggers", json=new)).json()["id"]
    job_id = await seed(api, value)
    pages = {
        f"/jobs/{job_id}": ("payload", "result"),
        f"/jobs/{job_id}/attempts": ("result", "detail"),
        f"/jobs/{job_id}/logs": ("fields",),
        "/logs?query=hello": ("fields",),
        "/events": ("data",),
        f"/jobs/triggers/{trigger_id}": ("payload",),
        "/jobs/triggers": ("payload",),
        "/definitions/hold": ("payload_schema",),
        "/jobs": (),
        "/jobs/triggers/overview": (),
        "/definitions": (),
    }
    asked = [(who, path, wanted) for who in (acme, admin) for path, wanted in pages.items()]
    asked.append((admin, "/admin/audit", ("detail",)))
    wrong = [problem for who, path, wanted in asked if (problem := await look(who, path, wanted))]
    assert wrong == []


async def look(who: httpx.AsyncClient, path: str, wanted: tuple[str, ...]) -> str | None:
    """What is wrong with a page that shows the row."""
    answer = await who.get(f"/api/v1{path}")
    if answer.status_code != 200:
        return f"{path}: {answer.status_code} {answer.text[:200]}"
    found = answer.json()
    items: list[dict[str, Any]] = found.get("items") or found.get("hits") or [found]
    missing = [name for name in wanted if not any("unreadable" in str(item.get(name)) for item in items)]
    return f"{path}: {missing} in {str(found)[:300]}" if missing else None


async def test_an_event_that_cannot_be_read_fires_nothing_and_holds_up_no_other(
    api: Api, acme: httpx.AsyncClient
) -> None:
    new = {"name": "on paid", "definition": "work", "trigger_type": "event", "event": "order.paid"}
    trigger_id = (await acme.post("/api/v1/jobs/triggers", json=new)).json()["id"]
    await api.execute("select headrace.emit('order.paid', tenant => 'acme')")
    await api.execute("update headrace.event set data = $1", f'{{"x": {DEEP}}}')
    await api.execute("""select headrace.emit('order.paid', '{"x": 1}', 'acme')""")
    async with api.hr.database.pool.acquire() as conn:
        await dispatch_events(conn, Rules())
    found = (await acme.get(f"/api/v1/jobs/triggers/{trigger_id}/deliveries")).json()["items"]
    assert sorted((one["outcome"], one["reason"]) for one in found) == [("fired", None), ("skipped", "template_error")]


@pytest.mark.parametrize("value", ["[" * 5000 + "]" * 5000, "1" * 5000], ids=["5,000 deep", "5,000 digits"])
@pytest.mark.parametrize("name", ["name", "password"])
async def test_a_job_whose_payload_nobody_can_read_is_shown_explained_and_retried_with_another(
    api: Api, acme: httpx.AsyncClient, admin: httpx.AsyncClient, name: str, value: str
) -> None:
    new = {"definition": "greet", "payload": {"name": "Ann"}}
    job_id = (await acme.post("/api/v1/jobs", json=new)).json()["id"]
    stored = f'{{"{name}": {value}, "token": "x"}}'
    await api.execute("update headrace.job set payload = $2::text::jsonb where id = $1", UUID(job_id), stored)
    pages = (f"/jobs/{job_id}", "/jobs", f"/jobs/{job_id}/why", f"/jobs/{job_id}/attempts", "/errors")
    for end in (None, "dead_letter"):
        if end is not None:
            await api.end(job_id, end)
        wrong = [problem for who in (acme, admin) for path in pages if (problem := await look(who, path, ()))]
        assert wrong == []
    again = await acme.post(f"/api/v1/jobs/{job_id}/retry", json={"payload": {"name": "Ben"}})
    assert again.status_code < 300, again.text
