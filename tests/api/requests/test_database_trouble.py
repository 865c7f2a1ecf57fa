"""What the API answers while its database is away, full or read-only: 503 with a reason, and when to come back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import Request
from tests.api.access import ACCESS, IDS
from tests.api.conftest import Api
from tests.api.listening import served
from tests.api.test_access import Operation, operations
from tests.chaos.world.server import OwnServer, own_server
from tests.waiting import PATIENCE, until
from tests.worker.running import app_on, attempts, working

from headrace import Headrace
from headrace.db.connect import Connection, Endpoint
from headrace.errors import DatabaseUnusable
from headrace.service import Principal

# They need no database: a page of words, what is worked out here, and a cookie that is taken back.
WITHOUT_DATABASE = {"healthz", "preview_schedule", "test_render", "sign_out"}
NAMES = ("trigger_id", "event_id", "operation_id", "alert_id", "alert_rule_id", "alert_target_id")
JOB = "00000000-0000-7000-8000-000000000000"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[OwnServer]:
    with own_server(tmp_path / "pg") as server:
        yield server


@pytest.fixture
async def hr(server: OwnServer) -> AsyncIterator[Headrace]:
    async with app_on(server.url) as hr:
        yield hr


async def test_every_route_says_that_the_database_is_away_and_when_to_come_back(
    server: OwnServer, hr: Headrace
) -> None:
    def identify(request: Request) -> Principal:
        return Principal("host", "worker" if "/worker/" in request.url.path else "super_admin")

    token = await Api(hr, None).token("super_admin")
    async with served(hr.asgi()) as by_token, served(hr.asgi(identify=identify)) as by_host:
        await asyncio.to_thread(server.stop)
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(headers=headers, timeout=60) as client:
            wrong = [
                *[said for one in operations() for said in await _wrong(client, by_token, one)],
                *[said for one in operations() for said in await _wrong(client, by_host, one)],
            ]
        assert not wrong, "\n".join(wrong)
        await asyncio.to_thread(server.start)
        async with httpx.AsyncClient(headers=headers, base_url=by_token, timeout=60) as client:
            assert (await client.get("/api/v1/jobs")).status_code == 200


async def _wrong(client: httpx.AsyncClient, url: str, operation: Operation) -> list[str]:
    access = ACCESS[operation.name]
    path = operation.path.format(**{**dict.fromkeys(NAMES, JOB), **IDS, "job_id": JOB})
    request = client.build_request(operation.method, f"{url}{path}?{access.query}", json=access.body)
    answer = await client.send(request, stream=True)
    try:
        if answer.status_code < 400 and operation.name in WITHOUT_DATABASE:
            return []
        body = (await answer.aread()).decode() if answer.status_code >= 400 else ""
    finally:
        await answer.aclose()
    code = "not_ready" if operation.name == "readyz" else "database_away"
    if answer.status_code == 503 and f'"{code}"' in body and "Retry-After" in answer.headers:
        return []
    return [f"{operation.name}: {answer.status_code} {dict(answer.headers).get('retry-after')} {body[:200]}"]


FULL = """
create function public.full_disk() returns trigger language plpgsql as $$
begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
create trigger full_disk before insert or update on headrace.queue execute function public.full_disk();
create trigger full_disk before insert on headrace.attempt execute function public.full_disk();
"""
READ_ONLY = "alter system set default_transaction_read_only = on"
# What makes the fault, and what mends it.
FAULTS = {
    "database_full": (FULL, "drop function public.full_disk cascade"),
    "database_read_only": (READ_ONLY, "alter system reset default_transaction_read_only"),
}
SENTENCES = {
    "database_full": "The disk of the database is full, so nothing can be stored",
    "database_read_only": "The database is read-only, so nothing can be changed",
}


def every(kind: type[DatabaseUnusable]) -> list[type[DatabaseUnusable]]:
    return [kind, *(found for narrower in kind.__subclasses__() for found in every(narrower))]


def test_every_trouble_of_the_database_says_when_to_come_back() -> None:
    assert {kind.code for kind in every(DatabaseUnusable)} > {*FAULTS, "database_unusable", "database_away"}
    for kind in every(DatabaseUnusable):
        assert kind.status == 503
        assert int((kind().headers() or {})["Retry-After"]) > 0, kind


@pytest.mark.parametrize("code", FAULTS)
async def test_a_full_disk_and_a_read_only_database_are_named_and_workers_wait(
    server: OwnServer, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    hr = app_on(server.url)
    started, release = asyncio.Event(), asyncio.Event()

    @hr.job("work")
    async def work() -> str:
        started.set()
        await release.wait()
        return "kept"

    async with working(hr):
        ours = await Endpoint(server.url).connect("test")
        running = await work.enqueue()
        await asyncio.wait_for(started.wait(), PATIENCE)
        fault, mend = FAULTS[code]
        await _execute(ours, fault)
        api = Api(hr, hr.asgi(identify=lambda _request: Principal("host", "super_admin")))
        answers: list[httpx.Response] = []
        async with api.with_token(None) as client:

            async def refused() -> bool:
                answer = await client.post("/api/v1/jobs", json={"definition": "work"})
                answers[:] = [answer]
                return answer.status_code == 503 and answer.json()["code"] == code and "Retry-After" in answer.headers

            await until("an enqueue is refused", refused)
            assert answers[0].json()["detail"].startswith(SENTENCES[code])
            assert (await client.get("/api/v1/jobs")).status_code == 200
        release.set()
        await until("the outcome waits", lambda: "outcomes delayed" in caplog.text)
        await _execute(ours, mend)

        async def written() -> bool:
            return bool(await attempts(ours, running))

        await until("the outcome is written", written)
        assert await attempts(ours, running) == [(1, "succeeded", "succeeded")]
        assert (await hr.get_job(running)).result == "kept"
        await ours.close()


async def _execute(conn: Connection, statement: str) -> None:
    await conn.execute(statement)
    await conn.execute("select pg_reload_conf()")
