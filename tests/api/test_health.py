"""Probes: nobody is asked who they are, and nobody learns anything."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from tests.api.conftest import Api
from tests.db.pooler import pooled
from tests.worker.running import app_on, running

import headrace.service.health.service as health
from headrace.api.app import create_app
from headrace.service.doctor.server import notifications
from headrace.worker.process.database_worker import WorkerProcess


@pytest.fixture
async def anybody(api: Api) -> Any:
    async with api.with_token(None) as client:
        yield client


async def test_a_process_that_serves_is_alive(anybody: httpx.AsyncClient) -> None:
    answer = await anybody.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


async def test_a_process_whose_database_is_there_and_migrated_is_ready(anybody: httpx.AsyncClient) -> None:
    answer = await anybody.get("/readyz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ready", "workers": 0, "notifications": True})


async def test_workers_are_counted(api: Api, anybody: httpx.AsyncClient) -> None:
    async with running(WorkerProcess(api.hr)):
        assert (await anybody.get("/readyz")).json()["workers"] == 1


async def test_without_notifications_a_live_worker_will_do(
    api: Api, anybody: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def undelivered(_: object) -> bool:
        return False

    monkeypatch.setattr(health, "_delivers", undelivered)
    monkeypatch.setattr(health, "KNOWN_FOR", 0.0)
    answer = await anybody.get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "no worker is live" in answer.json()["detail"]

    async with running(WorkerProcess(api.hr)):
        assert (await anybody.get("/readyz")).status_code == 200


async def test_behind_a_transaction_pooler_notifications_are_not_heard_as_the_doctor_says(database_url: str) -> None:
    async with pooled(database_url, backends=1) as (url, _), app_on(url) as hr:
        found = await health.Health(hr).check()
        async with hr.database.pool.acquire() as conn:
            (doctor,) = await notifications(hr.database, conn)

    assert (found.problems, found.notifications) == ([], False)
    assert doctor.detail == "notifications do not arrive behind a transaction pooler"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("delete from headrace.migration", "migrations are missing"),
        ("insert into headrace.migration values (9999, 'newer', '-')", "a newer version"),
        ("update headrace.migration set checksum = '-' where number = 1", "another baseline"),
        ("update headrace.function_file set checksum = '-' where name in ('retry', 'view jobs')", "this version's: 2"),
        ("delete from headrace.function_file where name = 'retry'", "this version's: 1"),
    ],
)
async def test_a_database_of_another_version_is_not_ready(
    api: Api, anybody: httpx.AsyncClient, change: str, said: str
) -> None:
    tables = ("migration", "function_file")
    async with api.hr.database.pool.acquire() as conn:
        kept = {table: await conn.fetch(f"select t::text from headrace.{table} as t") for table in tables}
        await conn.execute(change)
    try:
        answer = await anybody.get("/readyz")
    finally:
        async with api.hr.database.pool.acquire() as conn:
            for table, rows in kept.items():
                await conn.execute(f"delete from headrace.{table}")
                put_back = f"insert into headrace.{table} select ($1::text::headrace.{table}).*"
                await conn.executemany(put_back, [tuple(row) for row in rows])

    assert (answer.status_code, answer.json()["code"]) == (503, "not_ready")
    assert said in answer.json()["detail"]


async def test_a_database_that_is_away_is_said_without_saying_where() -> None:
    hr = app_on("postgresql://somebody:secret@nowhere.test/db")
    transport = httpx.ASGITransport(create_app(hr))
    async with httpx.AsyncClient(transport=transport, base_url="http://headrace.test") as client:
        answer = await client.get("/readyz")
        alive = await client.get("/healthz")

    assert answer.status_code == 503
    assert answer.json()["detail"] == "the database does not respond"
    assert not any(word in answer.text for word in ("secret", "somebody", "nowhere"))
    assert alive.status_code == 200


async def test_however_many_ask_the_database_is_asked_once_a_moment(
    anybody: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    async def look(_: object, *, pooled: bool) -> health.Readiness:
        looks.append("look")
        return health.Readiness([])

    monkeypatch.setattr(health, "_examine", look)
    monkeypatch.setattr(health, "KNOWN_FOR", 60.0)
    for _ in range(5):
        assert (await anybody.get("/readyz")).status_code == 200

    assert len(looks) == 1
