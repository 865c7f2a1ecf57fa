"""Delays, by the database's clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.tour.conftest import AWorker

from headrace import Context, Headrace


async def test_a_delayed_job_is_scheduled(hr: Headrace) -> None:
    @hr.job
    async def remind() -> None: ...

    async with hr:
        later = await remind.enqueue(delay=timedelta(hours=1))
        then = await remind.enqueue(scheduled_for=datetime(2050, 1, 1, tzinfo=UTC))
        assert (await hr.get_job(later)).status == "scheduled"
        assert (await hr.get_job(then)).scheduled_for == datetime(2050, 1, 1, tzinfo=UTC)


async def test_it_runs_when_its_time_has_come(hr: Headrace, a_worker: AWorker) -> None:
    @hr.job
    async def remind(ctx: Context) -> str:
        return str(ctx.scheduled_for)

    async with a_worker():
        job = await hr.wait(await remind.enqueue(delay=timedelta(milliseconds=300)))
    assert job.scheduled_for is not None
    assert job.started_at is not None
    assert job.started_at >= job.scheduled_for
