"""A worker over HTTP that speaks of jobs of others: their payloads are neither read nor kept for it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from tests.api.conftest import Api
from tests.api.worker.test_worker import Hand

from headrace.db.connect import Connection
from headrace.service.jobs.secrets import read_secrets as secrets_of_jobs
from headrace.service.worker_protocol import secrets

AT = "2026-01-01T00:00:00Z"


async def test_only_the_secrets_of_a_workers_own_jobs_are_read(
    api: Api, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[UUID] = set()

    async def noting(conn: Connection, box: Any, job_ids: list[UUID]) -> Any:
        asked.update(job_ids)
        return await secrets_of_jobs(conn, box, job_ids)

    monkeypatch.setattr(secrets, "read_secrets", noting)
    await api.execute("update headrace.definition set payload_schema = '{}' where key = 'work'")
    async with await api.caller("worker") as client:
        hand = Hand(client)
        await hand.register(definitions=["work"])
        jobs = [await api.hr.enqueue("work") for _ in range(4)]
        [mine] = await hand.claim()
        others = [job for job in jobs if str(job) != mine["id"]]
        every = [str(job) for job in jobs]
        beat = await hand.post("heartbeat", progress=[{"job_id": one, "message": "half"} for one in every])
        assert beat.status_code == 200, beat.text
        lines = [{"job_id": one, "run": 1, "seq": 1, "at": AT, "message": "hello"} for one in every]
        said = await hand.post("logs", lines=lines)
        ended = [{"job_id": one, "run": 1, "outcome": "failed", "final": "failed", "error": "no"} for one in every]
        finished = await hand.post("jobs/finish", ended=ended)
    assert asked == {UUID(mine["id"])}
    for answer in (said, finished):
        assert {one["job_id"] for one in answer.json()["refused"]} == {str(job) for job in others}
    assert [row[0] for row in await connection.fetch("select job_id from headrace.progress")] == [UUID(mine["id"])]
    assert [row[0] for row in await connection.fetch("select job_id from headrace.log")] == [UUID(mine["id"])]
    assert [row[0] for row in await connection.fetch("select job_id from headrace.attempt")] == [UUID(mine["id"])]
