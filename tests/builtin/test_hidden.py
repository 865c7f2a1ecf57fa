"""Headrace's own jobs are in nobody's lists and counts unless they are asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.waiting import PATIENCE
from tests.worker.running import app_on, working

from headrace import Headrace, NotFound, Principal
from headrace.builtin.enqueue import enqueue_system_job
from headrace.config import BuiltinSettings
from headrace.db.connect import Connection
from headrace.model.job.status import JobStatus
from headrace.model.system import SYSTEM_QUEUE, SYSTEM_TENANT
from headrace.rollups.fold import fold_deltas
from headrace.service import Service
from headrace.service.jobs.filter import JobFilter
from headrace.triggers.read import TriggerFilter

KEY = "headrace.maintain_partitions"


@pytest.fixture
async def hr(database_url: str, connection: Connection) -> AsyncIterator[Headrace]:
    """With a job of its own called `work`: one has ended and one waits, of it and of a system job."""
    hr = app_on(database_url, builtin=BuiltinSettings())

    @hr.job("work")
    async def work() -> None:
        """Does nothing."""

    async with working(hr):
        for job_id in (await hr.enqueue("work"), await enqueue_system_job(connection, KEY)):
            await hr.wait(job_id, timeout=PATIENCE)
    async with hr:
        await hr.enqueue("work")
        await enqueue_system_job(connection, KEY)
        await fold_deltas(connection)
        yield hr


async def definitions_of(hr: Headrace, wanted: JobFilter, tenant: str | None = None) -> list[str]:
    """Of the jobs that are listed."""
    return [job.definition for job in (await hr.control.all_jobs.list(wanted, tenant=tenant)).items]


@pytest.mark.parametrize(
    "status", [(), (JobStatus.SUCCEEDED,), (JobStatus.QUEUED,)], ids=["any status", "ended", "live"]
)
async def test_lists_of_jobs(hr: Headrace, status: tuple[JobStatus, ...]) -> None:
    assert set(await definitions_of(hr, JobFilter(status=status))) == {"work"}
    assert set(await definitions_of(hr, JobFilter(status=status, include_system=True))) == {"work", KEY}
    assert set(await definitions_of(hr, JobFilter(status=status, definition=KEY))) == {KEY}
    assert set(await definitions_of(hr, JobFilter(status=status, queue=SYSTEM_QUEUE))) == {KEY}
    assert set(await definitions_of(hr, JobFilter(status=status), tenant=SYSTEM_TENANT)) == {KEY}
    assert set(await definitions_of(hr, JobFilter(status=status, include_system=True), tenant="default")) == {"work"}


async def test_counts(hr: Headrace) -> None:
    summary = await hr.control.all_jobs.summary()
    assert (summary.queued, summary.succeeded) == (1, 1)
    chart = await hr.control.charts.throughput("24h")
    assert sum(step.counts.succeeded for step in chart.steps) == 1
    own = await hr.control.charts.throughput("24h", definition=KEY)
    assert sum(step.counts.succeeded for step in own.steps) == 1


async def test_definitions(hr: Headrace) -> None:
    assert [one.key for one in (await hr.control.definitions.list()).items] == ["work"]
    assert [one.key for one in (await hr.control.definitions.inspect_all()).items] == ["work"]
    everything = (await hr.control.definitions.inspect_all(include_system=True)).items
    assert {one.key: one.system for one in everything}[KEY] is True
    assert (await hr.control.definitions.inspect(KEY)).system
    with pytest.raises(NotFound):
        await Service(hr, Principal("test", "tenant_admin", "default")).definitions.get(KEY)


async def test_triggers(hr: Headrace) -> None:
    assert (await hr.control.triggers.page()).items == []
    shown = (await hr.control.triggers.page(TriggerFilter(include_system=True))).items
    assert KEY in [one.name for one in shown]
    own = (await hr.control.triggers.page(tenant=SYSTEM_TENANT)).items
    assert [one.name for one in own] == [one.name for one in shown]
    tenant = Service(hr, Principal("test", "tenant_admin", "default"))
    assert (await tenant.triggers.page(TriggerFilter(include_system=True))).items == []


async def test_queues(hr: Headrace) -> None:
    assert [one.queue for one in await hr.control.queues.list()] == ["default"]
    assert [one.queue for one in await hr.control.queues.list(include_system=True)] == ["default", SYSTEM_QUEUE]
    assert (await hr.control.queues.get(SYSTEM_QUEUE)).queue == SYSTEM_QUEUE
