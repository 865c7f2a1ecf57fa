"""What a handler knows of its run, and what others see of it meanwhile."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.waiting import until
from tests.worker.running import finished, working

from headrace import Context, Headrace, Retry
from headrace.db.connect import Connection

FIELDS = (
    "job_id definition tenant attempt max_attempts fencing_token scheduled_for triggered_by correlation_id canceled"
)


async def test_the_context_tells_everything_about_the_run(hr: Headrace, connection: Connection) -> None:
    seen: list[dict[str, Any]] = []
    await connection.execute("insert into headrace.tenant (name) values ('acme')")
    due = datetime.now(UTC) - timedelta(minutes=1)

    @hr.job(key="look.around", max_attempts=7)
    async def look(ctx: Context, n: int) -> None:
        seen.append({name: getattr(ctx, name) for name in FIELDS.split()})
        if ctx.attempt == 1:
            raise Retry(after=0)

    async with working(hr):
        job_id = await hr.enqueue("look.around", {"n": 1}, tenant="acme", correlation_id="order-1", scheduled_for=due)
        await finished(hr, job_id)
    first = {
        "job_id": job_id,
        "definition": "look.around",
        "tenant": "acme",
        "attempt": 1,
        "max_attempts": 7,
        "fencing_token": 1,
        "scheduled_for": due,
        "triggered_by": "api",
        "correlation_id": "order-1",
        "canceled": False,
    }
    assert seen == [first, first | {"attempt": 2, "fencing_token": 2}]


async def test_progress_is_visible_while_the_job_runs(hr: Headrace, connection: Connection) -> None:
    steps = [asyncio.Event(), asyncio.Event()]

    @hr.job()
    async def steady(ctx: Context) -> None:
        ctx.progress(0.0, "begun")
        ctx.progress(0.25, "a quarter")
        await steps[0].wait()
        ctx.progress(0.75)
        await steps[1].wait()

    async def shown() -> tuple[str, float | None, str | None]:
        row = await connection.fetchrow(
            "select status, progress, progress_message from headrace.jobs where id = $1", job_id
        )
        assert row is not None
        return row[0], row[1], row[2]

    async def shows(fraction: float, message: str | None) -> bool:
        return await shown() == ("running", fraction, message)

    async with working(hr):
        job_id = await steady.enqueue()
        await until("a quarter is shown", lambda: shows(0.25, "a quarter"))
        steps[0].set()
        await until("three quarters are shown", lambda: shows(0.75, None))
        steps[1].set()
        await finished(hr, job_id)


async def test_progress_outside_0_and_1_is_the_handlers_mistake(hr: Headrace) -> None:
    @hr.job(max_attempts=1)
    async def wild(ctx: Context) -> None:
        ctx.progress(50)

    async with working(hr):
        job = await finished(hr, await wild.enqueue())
    assert job.status == "dead_letter"
    assert "between 0 and 1, not 50" in str(job.last_error)
