"""Secrets in lists and maps are shown nowhere, whichever worker says them and wherever they came from."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.test_events import EVENTS, emit
from tests.api.triggers.test_runs import dispatch
from tests.api.triggers.test_triggers import TRIGGERS, make
from tests.api.worker.test_worker import Hand
from tests.worker.run.test_masking import everything

from headrace.db.connect import Connection

JOBS = "/api/v1/jobs"
SECRET = {"type": "string", "writeOnly": True}
VAULT = {
    "type": "object",
    "$defs": {"by/name": {"properties": {"open": {}}, "additionalProperties": {"anyOf": [SECRET, {"type": "null"}]}}},
    "properties": {
        "keys": {"type": "array", "items": {"type": "string", "format": "password"}},
        "map": {"$ref": "#/$defs/by~1name"},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, SECRET]},
        "card": {"if": {"required": ["x"]}, "else": {"patternProperties": {"^n": SECRET}}},
        "note": {"type": "string"},
    },
    "additionalProperties": False,
}
KEPT = ["key-of-a-list", "value-of-a-map", "second-of-a-pair", "number-of-a-card"]
PAYLOAD = {
    "keys": [KEPT[0]],
    "map": {"a": KEPT[1], "open": "shown-1"},
    "pair": ["shown-2", KEPT[2]],
    "card": {"number": KEPT[3], "owner": "shown-3"},
    "note": "shown-4",
}
SHOWN = {
    "keys": ["***"],
    "map": {"a": "***", "open": "shown-1"},
    "pair": ["shown-2", "***"],
    "card": {"number": "***", "owner": "shown-3"},
    "note": "shown-4",
}
TEXT = f"it is {' and '.join(KEPT)}."
MASKED = "it is *** and *** and *** and ***."


def hold_no_secret(*texts: str) -> None:
    """None of these texts has one."""
    for text in texts:
        assert [secret for secret in KEPT if secret in text] == []


@pytest.fixture(autouse=True)
async def vault(api: Api) -> None:
    """A definition that hides secrets in every kind of place."""
    await api.execute(
        "insert into headrace.definition (key, kind, app, hash, payload_schema)"
        " values ('vault', 'python', 'test', '-', $1)",
        json.dumps(VAULT),
    )


@pytest.fixture
async def hand(api: Api) -> AsyncIterator[Hand]:
    """A worker of another make, which masks nothing."""
    async with await api.caller("worker") as client:
        hand = Hand(client)
        await hand.register(definitions=["vault"])
        yield hand


async def enqueue(client: httpx.AsyncClient) -> str:
    answer = await client.post(JOBS, json={"definition": "vault", "payload": PAYLOAD})
    assert answer.status_code == 201, answer.text
    assert answer.json()["payload"] == SHOWN
    return str(answer.json()["id"])


async def test_what_a_worker_over_http_says_is_masked_before_it_is_stored(
    acme: httpx.AsyncClient, hand: Hand, connection: Connection
) -> None:
    job_id = await enqueue(acme)
    (job,) = await hand.claim()
    assert job["payload"] == PAYLOAD
    fence = {"job_id": job_id, "run": 1}
    line = {"message": TEXT, "fields": {"given": KEPT, "p\u0061ssword": "hunter2"}}
    numbered = {**fence, "seq": 2, "at": "2030-01-01T00:00:00Z", "message": TEXT, "fields_json": json.dumps(KEPT)}
    assert (await hand.of(job, "logs", lines=[line])).status_code == 200
    assert (await hand.post("logs", lines=[numbered])).status_code == 200
    assert (await hand.of(job, "heartbeat", progress=0.1, message=TEXT)).status_code == 200
    assert (await acme.get(f"{JOBS}/{job_id}")).json()["progress_message"] == MASKED
    assert (await hand.post("heartbeat", progress=[{"job_id": job_id, "fraction": 0.2, "message": TEXT}])).is_success
    cut = "x" * 9_999 + KEPT[0]  # where an error is cut, half of a secret must not be left
    assert (await hand.of(job, "fail", error=cut, traceback=TEXT, retry_after_seconds=0)).status_code == 200
    await connection.execute("update headrace.queue set status = 'queued', run_at = null, queued_at = now()")
    (job,) = await hand.claim()
    ended = {**fence, "run": 2, "outcome": "failed", "error": TEXT, "traceback": TEXT}
    detail = json.dumps({"tail": TEXT})
    assert (await hand.post("jobs/finish", ended=[{**ended, "detail_json": detail}])).json()["refused"] == []
    await connection.execute("update headrace.queue set status = 'queued', run_at = null, queued_at = now()")
    (job,) = await hand.claim()
    assert (await hand.of(job, "complete", result={"all": PAYLOAD, "said": TEXT})).status_code == 200

    shown = (await acme.get(f"{JOBS}/{job_id}")).json()
    assert (shown["payload"], shown["result"]) == (SHOWN, {"all": SHOWN, "said": MASKED})
    attempts = (await acme.get(f"{JOBS}/{job_id}/attempts")).text
    lines = (await acme.get(f"{JOBS}/{job_id}/logs")).json()["items"]
    assert [one["message"] for one in lines] == [MASKED, MASKED]
    assert [one["fields"] for one in lines] == [{"given": ["***"] * 4, "password": "***"}, ["***"] * 4]
    hits = [(await acme.get("/api/v1/logs", params={"query": f'"{secret}"'})).json()["items"] for secret in KEPT]
    assert hits == [[]] * 4
    errors, jobs = (await acme.get("/api/v1/errors")).text, (await acme.get(JOBS)).text
    hold_no_secret(json.dumps(shown), attempts, json.dumps(lines), errors, jobs, await everything(connection))
    assert "key-of" not in attempts


async def test_a_definition_of_a_worker_over_http_with_an_x_secret_that_cannot_be_encrypted_is_refused(
    hand: Hand,
) -> None:
    schema = {"additionalProperties": {"x-secret": True}}
    declared = [{"app": "shop", "definitions": [{"key": "pay", "payload_schema": schema}]}]
    answer = await hand.register(declared=declared)
    assert answer.status_code == 422, answer.text
    assert "x-secret at #/additionalProperties cannot be encrypted" in answer.json()["detail"]


async def test_what_a_trigger_hands_to_a_secret_field_is_masked_in_its_event(
    api: Api, acme: httpx.AsyncClient, connection: Connection
) -> None:
    template = {"keys": ["{{event.a}}"], "map": "{{event.b}}", "note": "{{event.none.at_all}}"}
    await make(acme, cron=None, event="vault.*", definition="vault", payload=template)
    data = {"a": KEPT[0], "b": {"x": KEPT[1], "open": "shown-1"}, "c": f"with {KEPT[0]}", "password": "hunter2"}
    masked = {"a": "***", "b": {"x": "***", "open": "shown-1"}, "c": "with ***", "password": "***"}
    first = await emit(acme, "vault.opened", data=data)
    await dispatch(api)
    second = await emit(acme, "vault.opened", data={**data, "none": {"at_all": "shown-4"}})
    await dispatch(api)
    await emit(acme, "shop.opened", data={"c": "nobody listens"})

    assert (await acme.get(f"{EVENTS}/{first}")).json()["data"] == masked
    assert (await acme.get(f"{EVENTS}/{second}")).json()["data"] == {**masked, "none": {"at_all": "shown-4"}}
    listed = await acme.get(EVENTS)
    hold_no_secret(listed.text)
    assert listed.json()["items"][0]["data"] == {"c": "nobody listens"}
    (trigger,) = (await acme.get(TRIGGERS)).json()["items"]
    await acme.delete(f"{TRIGGERS}/{trigger['id']}")
    fired = (await acme.get(f"{EVENTS}/{second}")).json()
    assert (fired["deliveries"][0]["outcome"], fired["data"]["a"], fired["data"]["b"]["x"]) == ("fired", "***", "***")


async def test_the_payload_of_a_trigger_is_shown_masked_and_edited_without_its_secrets(
    api: Api, acme: httpx.AsyncClient, connection: Connection
) -> None:
    given = {**PAYLOAD, "map": {"a": "{{ event.key }}", "b": "{{ event.key || 'value-of-a-map' }}"}}
    trigger = await make(acme, cron=None, event="a.b", definition="vault", payload=given)
    shown = {**SHOWN, "map": {"a": "{{ event.key }}", "b": "***"}}
    assert trigger["payload"] == shown
    place = f"{TRIGGERS}/{trigger['id']}"
    answers = [await acme.get(place), await acme.get(TRIGGERS), await acme.get(f"{TRIGGERS}/overview")]
    hold_no_secret(*(answer.text for answer in answers))

    edited = await acme.patch(place, json={"payload": {**shown, "note": "shown-5"}})
    assert edited.status_code == 200, edited.text
    assert edited.json()["payload"] == {**shown, "note": "shown-5"}
    stored = json.loads(await connection.fetchval("select payload from headrace.trigger"))
    assert stored == {**given, "note": "shown-5"}

    copy = await acme.post(TRIGGERS, json={"name": "copy", "cron": "@daily", "definition": "vault", "payload": shown})
    assert (copy.status_code, copy.json()["errors"][0]["field"]) == (422, "payload")
    trial = {"payload": PAYLOAD, "definition": "vault"}
    assert (await acme.post(f"{TRIGGERS}/test-render", json=trial)).json()["payload"] == SHOWN


async def test_a_payload_that_does_not_fit_is_refused_without_quoting_it(acme: httpx.AsyncClient) -> None:
    for wrong in ({KEPT[0]: 1}, {"keys": [[KEPT[0]]]}, {"map": {"a": [KEPT[0]]}}, {"pair": [1, {KEPT[0]: 1}]}):
        answer = await acme.post(JOBS, json={"definition": "vault", "payload": {**PAYLOAD, **wrong}})
        assert answer.status_code == 422
        hold_no_secret(answer.text)
