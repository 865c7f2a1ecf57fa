"""Large stored values are read and masked beside the API's loop, where all others would wait; small ones on it."""

from __future__ import annotations

import json
import threading
from typing import Any
from uuid import UUID

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.test_events import EVENTS, emit
from tests.api.triggers.test_triggers import TRIGGERS, make

import headrace.model.payload.stored_json
import headrace.model.secret.events
import headrace.model.secret.mask_template
import headrace.service.jobs.records
from headrace.model.secret.mask_outcome import LARGE

JOBS = "/api/v1/jobs"
WORD = "a token "
WATCHED = (
    (headrace.model.secret.events, "mask_fields"),
    (headrace.model.secret.mask_template, "mask_fields"),
    (headrace.model.payload.stored_json, "read_json"),
    (headrace.service.jobs.records, "mask_fields"),
    (headrace.service.jobs.records, "read_json"),
)
SIZES = pytest.mark.parametrize("size", [1_000, 100_000])


class Where:
    """Whether each walk over a value of the test's own was on the loop."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self.seen: list[bool] = []

    async def of(self, method: str, path: str, **more: Any) -> set[bool]:
        """Of one request."""
        self.seen.clear()
        answer = await self._client.request(method, path, **more)
        assert answer.status_code == 200, answer.text
        assert WORD in answer.text
        return set(self.seen)


@pytest.fixture
def where(acme: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> Where:
    """Asks as acme, and notes the thread of each walk."""
    found = Where(acme)
    for module, name in WATCHED:
        walk = getattr(module, name)

        def watched(value: Any, *more: Any, walk: Any = walk, **named: Any) -> Any:
            if WORD in str(value):
                found.seen.append(threading.current_thread() is threading.main_thread())
            return walk(value, *more, **named)

        monkeypatch.setattr(module, name, watched)
    return found


@SIZES
async def test_a_job_and_its_attempts_are_read_where_nobody_waits_for_them(
    api: Api, acme: httpx.AsyncClient, where: Where, size: int
) -> None:
    on_loop, text = {size < LARGE}, WORD * (size // len(WORD))
    made = await acme.post(JOBS, json={"definition": "greet", "payload": {"name": text}})
    job_id = str(made.json()["id"])
    assert await where.of("GET", f"{JOBS}/{job_id}") == on_loop
    assert await where.of("POST", f"{JOBS}/{job_id}/cancel") == on_loop
    assert await where.of("POST", f"{JOBS}/{job_id}/retry") == on_loop

    made = await acme.post(JOBS, json={"definition": "work"})
    job_id = str(made.json()["id"])
    await api.end(job_id, "succeeded")
    for kept in ("result", "detail"):
        await api.execute("update headrace.attempt set result = null, detail = null")
        written = json.dumps({"password": "hunter2", "rows": text})
        await api.execute(f"update headrace.attempt set {kept} = $1 where job_id = $2", written, UUID(job_id))
        assert await where.of("GET", f"{JOBS}/{job_id}/attempts") == on_loop
        (attempt,) = (await acme.get(f"{JOBS}/{job_id}/attempts")).json()["items"]
        assert attempt[kept] == {"password": "***", "rows": text}


@SIZES
async def test_events_are_read_where_nobody_waits_for_them(acme: httpx.AsyncClient, where: Where, size: int) -> None:
    on_loop, text = {size < LARGE}, WORD * (size // len(WORD))
    to_greet = {"definition": "greet", "payload": {"name": "{{event.who}}", "password": "{{event.key}}"}}
    await make(acme, cron=None, event="order.paid", **to_greet, enabled=False)
    event_id = await emit(acme, data={"who": text, "key": "open sesame"})
    assert await where.of("GET", EVENTS) == on_loop
    assert await where.of("GET", f"{EVENTS}/{event_id}") == on_loop
    assert (await acme.get(f"{EVENTS}/{event_id}")).json()["data"] == {"who": text, "key": "***"}


@SIZES
async def test_triggers_are_read_where_nobody_waits_for_them(acme: httpx.AsyncClient, where: Where, size: int) -> None:
    on_loop, text = {size < LARGE}, WORD * (size // len(WORD))
    trigger = await make(acme, definition="greet", payload={"name": text})
    assert await where.of("GET", TRIGGERS) == on_loop
    assert await where.of("GET", f"{TRIGGERS}/{trigger['id']}") == on_loop
    assert await where.of("PATCH", f"{TRIGGERS}/{trigger['id']}", json={"payload": {"name": text}}) == on_loop
