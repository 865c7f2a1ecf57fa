"""Why a job is not running."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api
from tests.worker.running import running, until_armed, until_status, worker_id

from headrace.db.connect import Endpoint
from headrace.model.job.status import JobStatus
from headrace.queue.lease import WorkerIdentity, register_worker
from headrace.service.jobs.why import Standstill, WhyFacts, reasons
from headrace.worker.process.database_worker import WorkerProcess

NOW = datetime(2030, 1, 1, tzinfo=UTC)
READY = WhyFacts(
    status=JobStatus.QUEUED,
    queue="mail",
    definition="send",
    run_at=None,
    now=NOW,
    worker=None,
    enabled=True,
    gone=False,
    paused=False,
    spent=0,
    suspect=False,
    workers=2,
    knowing_workers=1,
    free_slots=3,
    ahead=0,
    cancel_requested=False,
)


def said(**changes: Any) -> dict[str, str]:
    """The reasons for a job with these facts, by code."""
    facts = WhyFacts(**{name: getattr(READY, name) for name in WhyFacts.__dataclass_fields__} | changes)
    return {reason.code: reason.detail for reason in reasons(facts)}


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({}, "next", "within moments"),
        ({"status": JobStatus.DEAD_LETTER}, "ended", "dead_letter"),
        ({"status": JobStatus.RUNNING, "worker": "w1"}, "running", "on w1."),
        ({"status": JobStatus.RUNNING, "cancel_requested": True}, "running", "asked to stop"),
        (
            {"status": JobStatus.RUNNING, "worker": "w1", "claimed_at": NOW - timedelta(minutes=4)},
            "running",
            "The job is running on w1, since 2029-12-31 23:56:00 UTC (4 min).",
        ),
        (
            {"status": JobStatus.RUNNING, "worker": "w1", "silent_for": 50.0, "lease_left": 10.0},
            "silent",
            "Worker w1, which runs the job, has been silent for 50 s: its process may be stopped, frozen or gone. "
            "When its lease ends, in 10 s, the job moves to another worker.",
        ),
        (
            {"status": JobStatus.RUNNING, "worker": "w1", "silent_for": 70.0, "lease_left": -10.0},
            "silent",
            "Its lease has ended: the job moves to another worker within moments.",
        ),
        ({"status": JobStatus.RUNNING, "warned": "process 7 stands still"}, "warned", "warns: process 7 stands still."),
        ({"run_at": NOW + timedelta(hours=3), "status": JobStatus.SCHEDULED}, "scheduled", "in 3 h"),
        ({"run_at": NOW + timedelta(seconds=30), "spent": 2}, "scheduled", "Attempt 3"),
        ({"run_at": NOW - timedelta(seconds=1)}, "due", "is due"),
        (
            {"unreadable_since": NOW - timedelta(minutes=4), "version": "new", "versions": ["old"]},
            "unreadable",
            'enqueued by a newer version of "send" (new was declared last)',
        ),
        (
            {"unreadable_since": NOW - timedelta(minutes=4), "version": "new", "versions": ["new"]},
            "unreadable",
            "workers could not read the payload for 4 min",
        ),
        ({"enabled": False}, "disabled", '"send" is disabled'),
        ({"paused": True}, "paused", '"mail" is paused'),
        ({"pauses": [Standstill("tenant", "acme", "bill", "ann", None)]}, "tenant_paused", "by ann: bill."),
        (
            {"pauses": [Standstill("queue", "mail", "", "ann", "2030-01-02T03:04:00+00:00")]},
            "queue_paused",
            "until 2030-01-02 03:04 UTC.",
        ),
        ({"max_concurrency": 3, "running": 3}, "definition_limit", "All 3 places"),
        ({"max_running_of_key": 1, "running_of_key": 1}, "key_limit", "concurrency key"),
        ({"max_running_of_tenant": 2, "running_of_tenant": 2}, "tenant_limit", "the tenant"),
        ({"max_running_of_queue": 2, "running_of_queue": 4}, "queue_limit", "(4 running)"),
        ({"opens_in": 30.0}, "rate_limit", "in 30 s"),
        ({"workers": 0, "knowing_workers": 0}, "no_worker", 'serves the queue "mail"'),
        ({"knowing_workers": 0}, "unknown_to_workers", '"send"'),
        ({"ahead": 12}, "behind", "behind 12 jobs"),
        ({"ahead": 10_000}, "behind", "10,000 or more"),
        ({"free_slots": 0}, "busy", "busy"),
        ({"suspect": True}, "suspect", "died"),
    ],
)
def test_each_fact_has_its_sentence(changes: dict[str, Any], code: str, words: str) -> None:
    assert words in said(**changes)[code]


async def test_a_running_job_says_that_its_worker_is_silent(api: Api, acme: httpx.AsyncClient) -> None:
    async with api.hr.database.pool.acquire() as conn:
        identity = WorkerIdentity("w1", "host", 1, "0", ("*",), ("hold",), 10, timedelta(minutes=1))
        worker = await register_worker(conn, identity)
    job = (await acme.post("/api/v1/jobs", json={"definition": "hold"})).json()["id"]
    claimed = (
        "update headrace.queue set status = 'running', worker_id = $1, claimed_at = now(), run = 1 where job_id = $2"
    )
    await api.execute(claimed, worker, job)

    async def told() -> list[dict[str, str]]:
        return list((await acme.get(f"/api/v1/jobs/{job}/why")).json()["reasons"])

    [alive] = await told()
    assert alive["code"] == "running"
    assert alive["detail"].startswith("The job is running on w1, since 20")

    aged = "heartbeat_at = now() - lease * 0.7, lease_expires_at = now() + lease * 0.3"
    await api.execute(f"update headrace.worker set {aged} where id = $1", worker)
    silent, running_ = await told()
    assert (silent["code"], running_["code"]) == ("silent", "running")
    assert re.search(r"^Worker w1, .* silent for \d+ s: .* When its lease ends, in \d+ s, ", silent["detail"])

    await api.execute("update headrace.worker set state = 'lost', stopped_at = now() where id = $1", worker)
    assert "Its lease has ended" in (await told())[0]["detail"]


async def test_a_job_behind_a_busy_worker_says_so(api: Api, acme: httpx.AsyncClient) -> None:
    async with running(WorkerProcess(api.hr, concurrency=1)) as process:
        connection = await Endpoint(api.hr.settings.database.url or "").connect("test")
        await until_armed(connection, worker_id(process))
        body = {"definition": "hold"}
        first = (await acme.post("/api/v1/jobs", json=body)).json()["id"]
        await until_status(connection, first, "running")
        second = (await acme.post("/api/v1/jobs", json=body)).json()["id"]

        codes = [r["code"] for r in (await acme.get(f"/api/v1/jobs/{first}/why")).json()["reasons"]]
        waiting = [r["code"] for r in (await acme.get(f"/api/v1/jobs/{second}/why")).json()["reasons"]]
        await acme.post(f"/api/v1/jobs/{second}/cancel")
        await acme.post(f"/api/v1/jobs/{first}/cancel")
        await until_status(connection, first, "canceled")
        ended = [r["code"] for r in (await acme.get(f"/api/v1/jobs/{first}/why")).json()["reasons"]]
        await connection.close()

    assert (codes, ended) == (["running"], ["ended"])
    assert set(waiting) <= {"busy", "next"}
