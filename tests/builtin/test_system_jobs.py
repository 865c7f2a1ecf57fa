"""System jobs: shipped with Headrace, run by every worker that has a database, and in nobody's way."""

from __future__ import annotations

from datetime import timedelta

import asyncpg
import pytest
from tests.waiting import until
from tests.worker.running import app_on, finished, running, worker_of, working

from headrace import Headrace, NotFound, Principal
from headrace.builtin.enqueue import enqueue_system_job
from headrace.builtin.registry import BUILTINS
from headrace.db.connect import Connection
from headrace.db.upkeep import create_partitions
from headrace.errors import BadRequest
from headrace.model.definition import Definition
from headrace.model.job.request import JobRequest
from headrace.model.system import SYSTEM_QUEUE, SYSTEM_TENANT
from headrace.queue.claim import list_lanes
from headrace.queue.lease import WorkerIdentity, register_worker
from headrace.service import Service

KEY = "headrace.maintain_partitions"


async def schedules(connection: Connection) -> dict[str, str | None]:
    """The cron rules of the system's triggers, by name."""
    rows = await connection.fetch(
        "select name, cron from headrace.trigger where tenant_id = headrace._system_tenant() order by name"
    )
    return {row[0]: row[1] for row in rows}


async def start_once(hr: Headrace) -> None:
    """A worker that comes and goes."""
    async with working(hr):
        pass


async def test_a_worker_runs_a_system_job_whatever_queues_it_serves(hr: Headrace, connection: Connection) -> None:
    async with working(hr, queues=("mail",)):
        job_id = await enqueue_system_job(connection, KEY)
        job = await finished(hr, job_id)
    assert (job.status, job.tenant, job.queue) == ("succeeded", SYSTEM_TENANT, SYSTEM_QUEUE)
    assert job.result == {"job_partitions": 0, "log_partitions": 0}


async def test_one_that_nobody_told_of_is_found_within_seconds(hr: Headrace, connection: Connection) -> None:
    async with working(hr):
        job_id = await connection.fetchval("select headrace.enqueue($1, tenant => '_headrace')", KEY)
        assert (await finished(hr, job_id)).status == "succeeded"


async def test_the_first_start_makes_the_default_schedules(hr: Headrace, connection: Connection) -> None:
    await start_once(hr)
    assert await schedules(connection) == {one.key: one.cron for one in BUILTINS if one.cron is not None}


async def test_what_an_operator_made_of_a_schedule_survives_a_restart(hr: Headrace, connection: Connection) -> None:
    await start_once(hr)
    await connection.execute("update headrace.trigger set cron = '1 1 1 1 *', enabled = false where name = $1", KEY)
    await start_once(hr)
    row = await connection.fetchrow("select cron, enabled from headrace.trigger where name = $1", KEY)
    assert row is not None
    assert tuple(row) == ("1 1 1 1 *", False)
    await connection.execute("delete from headrace.trigger where name = $1", KEY)
    await start_once(hr)
    assert KEY not in await schedules(connection)


async def test_an_operators_settings_of_a_system_job_survive_a_restart(hr: Headrace, connection: Connection) -> None:
    await start_once(hr)
    async with hr:
        await hr.control.definitions.update(KEY, enabled=False, max_attempts=7)
    await start_once(hr)
    row = await connection.fetchrow("select enabled, max_attempts from headrace.definition where key = $1", KEY)
    assert row is not None
    assert tuple(row) == (False, 7)


async def test_processes_that_start_at_once_make_each_schedule_once(hr: Headrace, connection: Connection) -> None:
    async with hr, running(worker_of(hr)), running(worker_of(hr)):
        pass
    assert len(await schedules(connection)) == sum(one.cron is not None for one in BUILTINS)


async def test_turned_off_nothing_is_made_known_and_nothing_is_run(database_url: str, connection: Connection) -> None:
    await start_once(app_on(database_url))
    assert await schedules(connection) == {}
    assert not await connection.fetchval("select exists (select from headrace.definition where system)")


async def test_a_worker_over_http_has_no_lane_of_system_jobs(hr: Headrace, connection: Connection) -> None:
    await start_once(hr)
    await enqueue_system_job(connection, KEY)
    who = WorkerIdentity("w", "h", 1, "0", ("*",), (KEY,), 1, timedelta(minutes=1))
    worker_id = await register_worker(connection, who)
    assert len((await list_lanes(connection, worker_id=worker_id)).terms) == 1
    await connection.execute("update headrace.worker set principal = 'token' where id = $1", worker_id)
    assert (await list_lanes(connection, worker_id=worker_id)).terms == {}


async def test_a_lane_in_which_nothing_waits_is_left_out_of_claims(hr: Headrace, connection: Connection) -> None:
    await start_once(hr)
    worker_id = await register_worker(
        connection, WorkerIdentity("w", "h", 1, "0", ("*",), (KEY,), 1, timedelta(minutes=1))
    )
    assert (await list_lanes(connection, worker_id=worker_id)).terms == {}
    job_id = await enqueue_system_job(connection, KEY)
    assert len((await list_lanes(connection, worker_id=worker_id)).terms) == 1
    await connection.execute("update headrace.queue set suspect = true where job_id = $1", job_id)
    assert len((await list_lanes(connection, worker_id=worker_id)).terms) == 1


async def test_code_cannot_take_a_system_jobs_key() -> None:
    with pytest.raises(BadRequest, match="built-in jobs"):
        Definition(key=KEY)


async def test_a_tenant_can_neither_enqueue_nor_schedule_one(hr: Headrace, connection: Connection) -> None:
    await start_once(hr)
    async with hr:
        tenant = Service(hr, Principal("test", "tenant_admin", "default"))
        with pytest.raises(NotFound):
            await tenant.jobs.enqueue(JobRequest(definition=KEY))
        with pytest.raises(NotFound):
            await tenant.triggers.create("mine", KEY, cron="0 0 * * *")
        # Not even for the super-admin among the jobs of another tenant.
        with pytest.raises(NotFound):
            await hr.control.jobs.enqueue(JobRequest(definition=KEY))
        with pytest.raises(NotFound):
            await hr.control.triggers.create("mine", KEY, cron="0 0 * * *")
    with pytest.raises(asyncpg.PostgresError, match="unknown definition"):
        await connection.execute("select headrace.schedule('mine', $1, '0 0 * * *')", KEY)


async def test_a_super_admin_enqueues_one_for_the_systems_tenant(hr: Headrace) -> None:
    async with working(hr):
        made = await hr.control.jobs.enqueue(JobRequest(definition=KEY), tenant=SYSTEM_TENANT)
        assert (await finished(hr, made.job.id)).status == "succeeded"


async def test_nobody_gets_a_token_for_the_systems_tenant(hr: Headrace) -> None:
    async with hr:
        with pytest.raises(NotFound):
            await hr.control.tokens.create("t", "tenant_admin", tenant=SYSTEM_TENANT)
        assert [tenant.name for tenant in await hr.control.tenants.list()] == ["default"]
        with pytest.raises(NotFound):
            await hr.control.tenants.change(SYSTEM_TENANT, title="mine")


async def test_an_application_calls_the_same_function_without_a_job(hr: Headrace, connection: Connection) -> None:
    async with hr:
        assert await hr.builtin.run("maintain_partitions") == {"job_partitions": 0, "log_partitions": 0}
        with pytest.raises(NotFound, match="maintain_partitions"):
            await hr.builtin.run("sweep")
    assert await create_partitions(connection) == 0


async def test_an_enqueue_of_a_system_job_is_heard_at_once(hr: Headrace, connection: Connection) -> None:
    async with working(hr) as process:
        await until("it listens", lambda: process.worker.ready.is_set())
        job_id = await enqueue_system_job(connection, KEY, dedupe_key="one")
        assert (await finished(hr, job_id)).status == "succeeded"
