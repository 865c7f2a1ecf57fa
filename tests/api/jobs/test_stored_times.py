"""Rows with times that Python has no year for, as they may be from before such times were refused."""

from __future__ import annotations

from uuid import UUID

import asyncpg
import httpx
import pytest
from tests.api.conftest import Api

PAST, FUTURE = "0044-03-15 BC", "275760-09-13"
ENDS = {PAST: "1900-01-01T00:00:00Z", FUTURE: "9000-01-01T00:00:00Z"}


async def enqueue_at(api: Api, at: str) -> UUID:
    """A job of acme's that was due then; the tables' own refusal is taken away for it."""
    async with api.hr.database.pool.acquire() as conn:
        for table in ("job", "queue"):
            await conn.execute(f"alter table headrace.{table} drop constraint if exists due_between_1900_and_9000")
        job_id: UUID = await conn.fetchval(
            "select headrace.enqueue('work', tenant => 'acme', scheduled_for => now() + $1::interval)",
            None if at == PAST else await conn.fetchval("select interval '1 hour'"),
        )
        await conn.execute("update headrace.job set scheduled_for = $2::text::timestamptz where id = $1", job_id, at)
        await conn.execute(
            "update headrace.queue set run_at = $2::text::timestamptz where job_id = $1 and status = 'scheduled'",
            job_id,
            at,
        )
    return job_id


@pytest.mark.parametrize("at", [PAST, FUTURE])
async def test_every_page_shows_a_job_whose_time_has_no_year_here(
    api: Api, acme: httpx.AsyncClient, admin: httpx.AsyncClient, at: str
) -> None:
    job_id = await enqueue_at(api, at)
    await api.execute("select headrace.enqueue('work', tenant => 'acme')")
    for who in (acme, admin):
        for path in ("/jobs", f"/jobs/{job_id}", f"/jobs/{job_id}/why", "/jobs/counts", "/overview/health"):
            answer = await who.get(f"/api/v1{path}")
            assert answer.status_code == 200, f"{path}: {answer.text[:200]}"
        listed = {one["id"]: one["scheduled_for"] for one in (await who.get("/api/v1/jobs")).json()["items"]}
        assert listed[str(job_id)] == ENDS[at]
    assert (await acme.post(f"/api/v1/jobs/{job_id}/cancel")).status_code == 200
    found = (await acme.get(f"/api/v1/jobs/{job_id}")).json()
    assert (found["status"], found["scheduled_for"]) == ("canceled", ENDS[at])
    assert len((await api.as_tenant("acme").jobs.list()).items) == 2


async def test_the_table_refuses_such_a_time_whoever_writes_it(api: Api) -> None:
    await api.execute("select headrace.enqueue('work', tenant => 'acme')")
    for at in (PAST, FUTURE, "infinity"):
        with pytest.raises(asyncpg.CheckViolationError, match="due_between_1900_and_9000"):
            await api.execute("update headrace.job set scheduled_for = $1::text::timestamptz", at)
