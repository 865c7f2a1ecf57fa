"""`/admin/retention`: how long history is kept, what would go, and letting it go."""

from __future__ import annotations

import httpx
import pytest
from tests.api.conftest import Api
from tests.engine import Engine
from tests.retention.history import DAY, Past
from tests.worker.running import app_on, finished, running, worker_of

from headrace.config import BuiltinSettings
from headrace.db.connect import Connection, Endpoint
from headrace.service.audit.service import AuditFilter

PATH = "/api/v1/admin/retention"


@pytest.fixture
async def past(connection: Connection, database_url: str) -> Past:
    """Weeks of history."""
    past = Past(Engine(Endpoint(database_url), connection))
    await past.weeks(15)
    return past


async def test_it_says_what_is_kept_and_what_there_is(api: Api, admin: httpx.AsyncClient, past: Past) -> None:
    changed = await admin.patch(
        "/api/v1/admin/jobs/definitions/greet", json={"retention_days": 2.5, "retention_count": 100}
    )
    assert (changed.json()["retention_days"], changed.json()["retention_count"]) == (2.5, 100)
    found = (await admin.get(PATH)).json()
    assert (found["settings"]["jobs_days"], found["settings"]["dead_letters_days"]) == (30, 90)
    assert found["definitions"] == [{"definition": "greet", "days": 2.5, "count": 100}]
    assert len(found["weeks"]) == len(await past.bounds())
    assert all(week["bytes"] > 0 and not week["leaving"] for week in found["weeks"])
    assert found["last_run"] is None
    lifted = await admin.patch("/api/v1/admin/jobs/definitions/greet", json={"retention_days": None})
    assert lifted.json()["retention_days"] is None


async def test_a_preview_counts_what_would_go_and_changes_nothing(
    api: Api, admin: httpx.AsyncClient, past: Past
) -> None:
    jobs = {await past.job("greet", age=40 * DAY) for _ in range(3)} | {await past.job(age=40 * DAY)}
    jobs.add(await past.job(age=40 * DAY, final="dead_letter"))
    jobs.add(await past.job(age=95 * DAY))
    found = (await admin.get(f"{PATH}/preview")).json()
    assert {one["definition"]: one["jobs"] for one in found["definitions"]} == {"greet": 3, "work": 2}
    assert found["jobs"] == 5
    assert found["bytes"] > 0
    assert sum(week["jobs"] for week in found["weeks"]) == 1
    assert await past.jobs() == jobs


async def test_a_run_is_a_job_of_a_worker(api: Api, admin: httpx.AsyncClient, past: Past, database_url: str) -> None:
    await past.job(age=40 * DAY)
    kept = await past.job(age=40 * DAY, final="dead_letter")
    refused = await admin.post(f"{PATH}/run")
    assert (refused.status_code, "built-in jobs" in refused.json()["detail"]) == (409, True)
    hr = app_on(database_url, "worker", builtin=BuiltinSettings())
    async with hr, running(worker_of(hr)):
        asked = await admin.post(f"{PATH}/run")
        assert asked.status_code == 202
        job = await finished(hr, asked.json()["job_id"])
    assert (job.status, job.result["jobs"]) == ("succeeded", 1)
    assert await past.jobs() - {job.id} == {kept}
    last = (await admin.get(PATH)).json()["last_run"]
    assert (last["job_id"], last["result"]["definitions"]) == (str(job.id), {"work": 1})
    audit = await api.system.audit.list(AuditFilter(action="retention.run"))
    assert [one.target for one in audit.items] == [str(job.id)]
