"""A job retried with another payload: what was masked for the person who edited it is kept, and no mask is stored."""

from __future__ import annotations

import base64
import json
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api
from tests.waiting import until

from headrace.model.secret.encryption import SecretBox, is_encrypted

JOBS = "/api/v1/jobs"
KEY, OTHER = (base64.b64encode(bytes([n]) * 32).decode() for n in (1, 2))
PAY = {
    "type": "object",
    "properties": {
        "card": {"type": "string", "minLength": 8, "x-secret": True},
        "password": {"type": "string"},
        "amount": {"type": "integer"},
    },
    "required": ["card"],
}
PAID = {"card": "4111-1111", "password": "hunter2", "amount": 1}


def use_keys(api: Api, keys: str) -> None:
    api.hr._box = SecretBox.read(keys)


@pytest.fixture
async def paid(api: Api, acme: httpx.AsyncClient) -> str:
    """A job that failed, with an encrypted field and one that is secret by its name."""
    use_keys(api, KEY)
    await api.execute(
        "insert into headrace.definition (key, kind, app, hash, payload_schema)"
        " values ('pay', 'python', 'test', '-', $1)",
        json.dumps(PAY),
    )
    answer = await acme.post(JOBS, json={"definition": "pay", "payload": PAID})
    assert answer.status_code == 201, answer.text
    job_id: str = answer.json()["id"]
    await api.end(job_id, "failed")
    return job_id


async def stored(api: Api, job_id: str) -> dict[str, Any]:
    async with api.hr.database.pool.acquire() as conn:
        payload: dict[str, Any] = json.loads(
            await conn.fetchval("select payload from headrace.job where id = $1", job_id)
        )
    return payload


async def test_what_is_masked_is_kept(api: Api, acme: httpx.AsyncClient, paid: str) -> None:
    shown = (await acme.get(f"{JOBS}/{paid}")).json()["payload"]
    assert shown == {"card": "***", "password": "***", "amount": 1}

    answer = await acme.post(f"{JOBS}/{paid}/retry", json={"payload": {**shown, "amount": 2}})

    assert answer.status_code == 200, answer.text
    again = answer.json()
    assert (again["payload"], again["source_ref"]) == ({**shown, "amount": 2}, paid)
    assert await stored(api, again["id"]) == {**await stored(api, paid), "amount": 2}


async def test_what_was_edited_and_redriven_is_closed_and_a_redrive_of_all_runs_one_of_the_two(
    api: Api, acme: httpx.AsyncClient
) -> None:
    greet = {"definition": "greet", "payload": {"name": "Ann"}}
    ids = [(await acme.post(JOBS, json=greet)).json()["id"] for _ in range(2)]
    for job_id in ids:
        await api.end(job_id, "dead_letter")
    edited, other = ids
    new = (await acme.post(f"{JOBS}/{edited}/retry", json={"payload": {"name": "Bob"}})).json()
    assert (new["retry_of"], new["replaced_by"]) == (edited, None)
    old = (await acme.get(f"{JOBS}/{edited}")).json()
    assert (old["status"], old["replaced_by"], old["last_error"]) == ("canceled", new["id"], "Boom: it broke")
    dead = (await acme.get(JOBS, params={"status": "dead_letter"})).json()["items"]
    assert [job["id"] for job in dead] == [other]
    everything = {"action": "retry", "filter": {"status": ["dead_letter", "failed", "canceled"]}}
    operation = (await acme.post(f"{JOBS}/bulk", json=everything)).json()

    async def ended() -> bool:
        operation.update((await acme.get(f"{JOBS}/bulk/{operation['id']}")).json())
        return bool(operation["state"] != "running")

    await until("the redrive of all has ended", ended)
    assert (operation["done"], operation["left_alone"]) == (1, 1)
    live = (await acme.get(JOBS, params={"status": "queued"})).json()["items"]
    assert {job["id"] for job in live} == {new["id"], other}
    for body in (None, {"payload": {"name": "Cid"}}):
        refused = await acme.post(f"{JOBS}/{edited}/retry", json=body)
        assert (refused.status_code, refused.json()["detail"]) == (
            409,
            f'job "{edited}" cannot be retried: job "{new["id"]}" replaced it. Retry that job instead.',
        )
    refused = await acme.post(f"{JOBS}/{new['id']}/retry", json={"payload": {"name": "Cid"}})
    assert (refused.status_code, "only a job that has ended" in refused.json()["detail"]) == (409, True)
    assert len((await acme.get(JOBS)).json()["items"]) == 3


async def test_another_secret_needs_no_key_of_the_old_one(api: Api, acme: httpx.AsyncClient, paid: str) -> None:
    use_keys(api, OTHER)

    kept = await acme.post(f"{JOBS}/{paid}/retry", json={"payload": {**PAID, "card": "***"}})
    changed = await acme.post(f"{JOBS}/{paid}/retry", json={"payload": {**PAID, "card": "4222-2222"}})

    assert (kept.status_code, kept.json()["code"]) == (400, "cannot_decrypt")
    assert changed.status_code == 200, changed.text
    assert is_encrypted((await stored(api, changed.json()["id"]))["card"])


async def test_a_secret_that_no_longer_fits_is_refused_and_not_told(
    api: Api, acme: httpx.AsyncClient, paid: str
) -> None:
    longer = json.dumps({**PAY, "properties": {"card": {"type": "string", "minLength": 12, "x-secret": True}}})
    await api.execute("update headrace.definition set payload_schema = $1 where key = 'pay'", longer)

    answer = await acme.post(f"{JOBS}/{paid}/retry", json={"payload": {"card": "***"}})

    assert answer.status_code == 422
    assert "card: *** is shorter than 12 characters" in answer.json()["detail"]
    assert "4111" not in answer.text


async def test_a_mask_without_a_value_behind_it_is_never_stored(acme: httpx.AsyncClient, paid: str) -> None:
    plain = await acme.post(JOBS, json={"definition": "pay", "payload": {**PAID, "password": "***"}})
    assert plain.status_code == 422
    assert plain.json()["errors"][0]["field"] == "payload"
    assert "send the real value" in plain.json()["detail"]
    allowed = await acme.post(JOBS, json={"definition": "pay", "payload": {**PAID, "note": "***"}})
    assert allowed.status_code == 201
