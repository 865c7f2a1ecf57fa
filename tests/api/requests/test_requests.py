"""What the API says of each request, and which trace it makes jobs part of."""

from __future__ import annotations

import logging
from typing import Any
from uuid import UUID

import httpx
import pytest
from tests.api.conftest import Api
from tests.spans import Spans

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
JOBS = "/api/v1/jobs"


async def carried(api: Api, job_id: str) -> str | None:
    async with api.hr.database.pool.acquire() as conn:
        found: str | None = await conn.fetchval("select trace_context from headrace.job where id = $1", UUID(job_id))
        return found


async def enqueue(client: httpx.AsyncClient, **headers: str) -> str:
    answer = await client.post(JOBS, json={"definition": "work"}, headers=headers)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def test_a_job_goes_on_with_its_callers_trace(api: Api, acme: httpx.AsyncClient) -> None:
    assert await carried(api, await enqueue(acme)) is None
    assert await carried(api, await enqueue(acme, traceparent=PARENT)) == PARENT
    assert await carried(api, await enqueue(acme, traceparent=PARENT, tracestate="a=b,c=d")) == f"{PARENT} a=b,c=d"


async def test_several_states_are_one_and_several_parents_are_none(api: Api, acme: httpx.AsyncClient) -> None:
    async def sent(*headers: tuple[str, str]) -> str | None:
        answer = await acme.post(JOBS, json={"definition": "work"}, headers=[*headers])
        return await carried(api, answer.json()["id"])

    parent = ("traceparent", PARENT)
    states = [("tracestate", value) for value in ("a=1, b=2", "", " c=3")]
    assert await sent(parent, *states) == f"{PARENT} a=1, b=2,c=3"
    assert await sent(parent, ("traceparent", PARENT.replace("-01", "-00")), *states) is None


WRONG = ["", "x", PARENT.upper(), PARENT + "0", "ff" + PARENT[2:], f"00-{'0' * 32}-{'1' * 16}-01"]


@pytest.mark.parametrize("parent", WRONG)
async def test_a_trace_that_is_none_is_passed_over(api: Api, acme: httpx.AsyncClient, parent: str) -> None:
    assert await carried(api, await enqueue(acme, traceparent=parent)) is None


async def test_with_an_sdk_the_enqueue_is_a_span_below_the_callers(
    api: Api, acme: httpx.AsyncClient, spans: Spans
) -> None:
    job_id = await enqueue(acme, traceparent=PARENT)
    span = spans.one("enqueue work")
    assert span.parent is not None
    assert (format(span.parent.trace_id, "032x"), format(span.parent.span_id, "016x")) == tuple(PARENT.split("-")[1:3])
    assert format(span.context.span_id, "016x") in str(await carried(api, job_id))
    assert (span.attributes or {})["headrace.tenant"] == "acme"


async def test_a_request_is_no_span_of_its_own_so_its_query_is_in_none(acme: httpx.AsyncClient, spans: Spans) -> None:
    answer = await acme.get(JOBS, params={"q": "tok-4711"})
    assert answer.status_code == 200, answer.text
    await enqueue(acme)
    assert spans.names() == ["enqueue work"]


async def test_events_and_fires_over_http_go_on_with_the_trace_too(api: Api, acme: httpx.AsyncClient) -> None:
    trigger = {"name": "hourly", "trigger_type": "schedule", "cron": "0 * * * *", "definition": "work"}
    made = (await acme.post(f"{JOBS}/triggers", json=trigger)).json()
    fired = await acme.post(f"{JOBS}/triggers/{made['id']}/fire", headers={"traceparent": PARENT})
    assert await carried(api, fired.json()["job_id"]) == PARENT
    event = await acme.post("/api/v1/events", json={"name": "a.b"}, headers={"traceparent": PARENT})
    async with api.hr.database.pool.acquire() as conn:
        kept = await conn.fetchval("select trace_context from headrace.event where id = $1", UUID(event.json()["id"]))
    assert kept == PARENT


def said(caplog: pytest.LogCaptureFixture, wanted: str = "request handled") -> list[dict[str, Any]]:
    """The fields of lines of the API, as handlers see them."""
    parts = [record.headrace for record in caplog.records if record.name == "headrace.api"]  # type: ignore[attr-defined]
    return [fields for event, fields in parts if event == wanted]


async def test_a_request_is_told_with_who_asked_what_and_what_came_of_it(
    acme: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        job_id = await enqueue(acme)
        await acme.get(f"{JOBS}/{job_id}", params={"x": "secret"})
    first, second = said(caplog)
    assert first["duration_ms"] > 0
    assert {name: first[name] for name in ("method", "path", "route", "status", "principal", "role", "tenant")} == {
        "method": "POST",
        "path": JOBS,
        "route": "enqueue",
        "status": 201,
        "principal": "token tenant_admin of acme",
        "role": "tenant_admin",
        "tenant": "acme",
    }
    assert (second["route"], second["status"], second["job_id"]) == ("get_job", 422, job_id)
    assert first["request_id"] != second["request_id"]
    assert "secret" not in str(said(caplog))


async def test_refusals_are_told_and_probes_are_not(
    api: Api, acme: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        await acme.get("/nowhere")
        await acme.get("/healthz")
        async with api.with_token("hr_wrong") as stranger:
            await stranger.get(JOBS)
    nowhere, stranger_said = said(caplog)
    assert (nowhere["route"], nowhere["status"]) == (None, 404)
    assert (stranger_said["status"], stranger_said.get("principal")) == (401, None)
    assert "hr_wrong" not in caplog.text


async def test_a_sane_request_id_is_kept_and_answered(acme: httpx.AsyncClient) -> None:
    kept = await acme.get(JOBS, headers={"X-Request-ID": "edge-7f:3"})
    assert kept.headers["X-Request-ID"] == "edge-7f:3"
    for odd in ("", "a b", "x" * 129, "a\x1b[31m", "-x"):
        answer = await acme.get(JOBS, headers={"X-Request-ID": odd})
        assert UUID(answer.headers["X-Request-ID"])


async def test_a_request_that_fails_here_is_told_with_its_id(
    acme: httpx.AsyncClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headrace.service.jobs.service.enqueue_requests", lambda *_: 1 / 0)
    with caplog.at_level(logging.INFO):
        answer = await acme.post(JOBS, json={"definition": "work"})
    assert answer.status_code == 500
    (line,) = said(caplog)
    assert (line["status"], line["request_id"]) == (500, answer.headers["X-Request-ID"])
    assert [fields["request_id"] for fields in said(caplog, "request failed")] == [line["request_id"]]
