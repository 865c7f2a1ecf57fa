"""The load: jobs of every kind, events and cancels, by SQL and over HTTP, through every fault."""

from __future__ import annotations

import asyncio
import json
import random
from collections import deque
from typing import Any

import asyncpg
import httpx
from tests.chaos.storm.deployment import Deployment
from tests.chaos.storm.truth import note

from headrace.aio import wait_for_event
from headrace.db.connect import TRANSIENT, Endpoint, OwnConnection

# How often each is enqueued.
MIX = {
    "plain": 24,
    "threaded": 5,
    "isolated": 5,
    "storm-command": 4,
    "storm-sql": 6,
    "flaky": 4,
    "snoozing": 4,
    "long": 5,
    "one": 6,
    "keyed": 8,
    "rated": 8,
    "doomed": 2,
    "failing": 2,
    "withdrawn": 2,
}
ENQUEUE = (
    "select headrace.enqueue($1, $2::text::jsonb, idempotency_key => $3,"
    " scheduled_for => clock_timestamp() + make_interval(secs => $4))"
)
# What a caller hears who does not know whether it was done.
UNKNOWN: tuple[type[BaseException], ...] = (*TRANSIENT, asyncpg.PostgresError, httpx.HTTPError)


class Producer:
    """Asks for one thing after the other. What has a key is asked for until it is confirmed."""

    def __init__(self, deployment: Deployment, number: int, seed: int, stop: asyncio.Event) -> None:
        self._deployment = deployment
        self._name = f"p{number}"
        self._chance = random.Random(seed * 100 + number)  # noqa: S311 - no secret
        self._stop = stop
        self._asked = 0
        self._connection: OwnConnection | None = None
        self._may_cancel: deque[str] = deque(maxlen=20)

    async def run(self) -> None:
        """Until it is told to stop."""
        headers = {"Authorization": f"Bearer {self._deployment.token}"}
        async with httpx.AsyncClient(
            base_url=f"{self._deployment.http.url}/api/v1", headers=headers, timeout=5
        ) as client:
            self._client = client
            while not await wait_for_event(self._stop, self._chance.uniform(0.02, 0.12)):
                await self._ask_for_something()
        if self._connection is not None:
            self._connection.terminate()

    async def _ask_for_something(self) -> None:
        what = self._chance.choices(["job", "keyed", "event", "cancel", "transaction"], [50, 20, 15, 8, 7])[0]
        try:
            match what:
                case "job":
                    await self._enqueue(self._new_token())
                case "keyed":
                    await self._until_confirmed(self._new_token())
                case "event":
                    await self._emit(self._new_token())
                case "cancel":
                    await self._cancel()
                case _:
                    await self._in_a_transaction(self._new_token())
        except UNKNOWN:
            self._hang_up()

    def _new_token(self) -> str:
        self._asked += 1
        return f"{self._name}.{self._asked}"

    async def _until_confirmed(self, token: str) -> None:
        chance = self._chance.getstate()
        while not self._stop.is_set():
            try:
                self._chance.setstate(chance)  # the same request each time
                await self._enqueue(token, key=token)
                return
            except UNKNOWN:
                self._hang_up()
                await wait_for_event(self._stop, 0.1)

    async def _enqueue(self, token: str, key: str | None = None) -> None:
        definition = self._chance.choices(list(MIX), list(MIX.values()))[0]
        payload: dict[str, Any] = {"token": token}
        if definition == "keyed":
            payload["key"] = self._chance.randrange(3)
        # A repeated request with another time would be another request.
        delay = self._chance.uniform(0.5, 3) if key is None and self._chance.random() < 0.1 else None
        if self._chance.random() < 0.3 and delay is None:
            job_id = await self._post("jobs", {"definition": definition, "payload": payload}, key)
        else:
            job_id = await self._fetch(ENQUEUE, definition, json.dumps(payload), key, delay)
        note("acknowledged", token, job_id)
        if definition == "long":
            self._may_cancel.append(str(job_id))

    async def _emit(self, token: str) -> None:
        if self._chance.random() < 0.3:
            await self._post("events", {"name": "storm.paid", "data": {"token": token}})
        else:
            await self._fetch("select headrace.emit('storm.paid', jsonb_build_object('token', $1::text))", token)
        note("emitted", token)

    async def _cancel(self) -> None:
        if self._may_cancel:
            job_id = self._may_cancel.pop()
            note("cancel-asked", job_id)
            if await self._fetch("select headrace.cancel($1::text::uuid)", job_id):
                note("canceled", job_id, (await self._fetch("select clock_timestamp()")).timestamp())

    async def _in_a_transaction(self, token: str) -> None:
        connection = await self._connected()
        transaction = connection.transaction()
        await transaction.start()
        job_id = await connection.fetchval(ENQUEUE, "plain", json.dumps({"token": token}), None, None)
        if self._chance.random() < 0.5:
            note("taken-back", token)
            await transaction.rollback()
        else:
            await transaction.commit()
            note("acknowledged", token, job_id)

    async def _post(self, path: str, body: dict[str, Any], key: str | None = None) -> Any:
        response = await self._client.post(path, json=body, headers={} if key is None else {"Idempotency-Key": key})
        assert not 400 <= response.status_code < 500, f"{path} refuses {body}: {response.text}"
        response.raise_for_status()
        return response.json()["id"]

    async def _fetch(self, statement: str, *arguments: Any) -> Any:
        return await (await self._connected()).fetchval(statement, *arguments)

    async def _connected(self) -> OwnConnection:
        if self._connection is None or self._connection.is_closed():
            self._connection = await Endpoint(self._deployment.url("producer")).connect("producer", command_timeout=5)
        return self._connection

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None


async def enqueue_surely(deployment: Deployment, definition: str, payload: dict[str, Any]) -> None:
    """A job of the storm's own, such as poison, straight to PostgreSQL and until it is there."""
    while True:
        try:
            connection = await deployment.connect(timeout=10)
            try:
                token = payload["token"]
                job_id = await connection.fetchval(ENQUEUE, definition, json.dumps(payload), token, None)
                return note("acknowledged", token, job_id)
            finally:
                connection.terminate()
        except UNKNOWN:
            await wait_for_event(asyncio.Event(), 0.2)
