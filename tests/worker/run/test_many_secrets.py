"""A payload with more secrets than can be looked for: nothing of it is seen, and no loop is held while it is masked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from tests.waiting import PATIENCE
from tests.worker.run.test_masking import everything
from tests.worker.running import finished, said, working

import headrace.service.worker_protocol.secrets
import headrace.worker.run.dispatch
from headrace import Context, Headrace
from headrace.db.connect import Connection
from headrace.model.secret.encryption import NO_KEY
from headrace.model.secret.mask_outcome import LARGE, masker_for
from headrace.model.secret.masking import Masker
from headrace.model.secret.schema import SecretSchema
from headrace.queue.lease import WorkerIdentity, register_worker
from headrace.service.worker_protocol.secrets import Maskers


class Making:
    """Where maskers are made: in the thread of the loop, or beside it; and a gate to keep them from it."""

    def __init__(self) -> None:
        self.on_loop: list[bool] = []
        self.gate = threading.Event()
        self.gate.set()

    def begin(self) -> None:
        self.on_loop.append(threading.current_thread() is threading.main_thread())
        assert self.gate.wait(PATIENCE)


@pytest.fixture
def making(monkeypatch: pytest.MonkeyPatch) -> Iterator[Making]:
    """Those of workers and those of servers."""
    made = Making()

    def of_run(payload: str, schema: SecretSchema, others: Sequence[str]) -> Masker:
        made.begin()
        return masker_for(payload, schema, others)

    def of_server(secrets: Sequence[str]) -> Masker:
        made.begin()
        return Masker(secrets)

    monkeypatch.setattr(headrace.worker.run.dispatch, "masker_for", of_run)
    monkeypatch.setattr(headrace.service.worker_protocol.secrets, "Masker", of_server)
    yield made
    made.gate.set()


@pytest.mark.parametrize("secrets", [[f"w{n:06}" for n in range(4_000)], [f"w{n:06}" for n in range(85_000)]])
async def test_none_of_them_is_seen_and_they_are_looked_for_beside_the_loop(
    hr: Headrace, connection: Connection, making: Making, secrets: list[str]
) -> None:
    @hr.job(max_attempts=1)
    async def leak(password: list[str], ctx: Context) -> None:
        one = password[-1]
        print("it is", one)
        print(*password[:2000], sep="\n")
        ctx.log.info("said", said=[one], token="x")
        ctx.progress(0.5, one)
        raise ValueError(f"wrong: {one}")

    async with working(hr):
        job = await finished(hr, await hr.enqueue("leak", {"password": secrets}))
    assert job.status == "dead_letter"
    kept = await everything(connection)
    assert [one for one in secrets if one in kept] == []
    assert len(await said(connection, job.id)) == 2002
    assert set(making.on_loop) == {False}


async def test_a_run_that_is_stopped_meanwhile_ends_without_a_masker(hr: Headrace, making: Making) -> None:
    started = asyncio.Event()

    @hr.job(max_attempts=1, timeout=0.01)
    async def never(password: str) -> None:
        started.set()

    making.gate.clear()
    async with working(hr):
        job = await finished(hr, await hr.enqueue("never", {"password": "x" * 2 * LARGE}))
        making.gate.set()
    assert (job.status, started.is_set()) == ("dead_letter", False)
    assert making.on_loop == [False]


@pytest.mark.parametrize("payload", [{"password": "x" * 50_000}, {"password": [f"w{n:06}" for n in range(2_000)]}])
async def test_a_server_looks_for_those_of_a_worker_over_http_beside_its_loop(
    hr: Headrace, making: Making, payload: dict[str, Any]
) -> None:
    @hr.job()
    async def quiet(password: Any) -> None: ...

    async with hr:
        await hr.sync_definitions(complete=False)
        job_id = await hr.enqueue("quiet", payload)
        async with hr.database.pool.acquire() as conn:
            worker = WorkerIdentity("w", "host", 1, "0", ("*",), ("quiet",), 1, timedelta(minutes=1))
            worker_id = await register_worker(conn, worker)
            held = "update headrace.queue set status = 'running', run = 1, claimed_at = now(), worker_id = $1"
            await conn.execute(held, worker_id)
            found = await Maskers().find(conn, NO_KEY, worker_id, [job_id])
    secret = payload["password"] if isinstance(payload["password"], str) else payload["password"][-1]
    assert secret not in found[job_id].mask_text(f"it is {secret}")
    assert making.on_loop == [False]
