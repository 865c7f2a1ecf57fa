"""The application of the workers that go on while their database is migrated. Each run leaves a line in a file."""

from __future__ import annotations

import os
from datetime import timedelta

from headrace import Context, Headrace, RetryPolicy

hr = Headrace(app="tests.upgrade.app")


def leave_a_line(ctx: Context) -> None:
    """One write, so that lines of several processes do not mix."""
    file = os.open(os.environ["UPGRADE_RUNS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(file, f"{ctx.job_id}\n".encode())
    finally:
        os.close(file)


@hr.job(max_attempts=3)
async def work(ctx: Context, n: int = 0) -> int:
    """Say something, and succeed."""
    print(f"job {n}")
    leave_a_line(ctx)
    return n


@hr.job(max_attempts=3, max_concurrency=2)
async def limited(ctx: Context, n: int = 0) -> None:
    """Wait behind a gate."""
    leave_a_line(ctx)


@hr.job(max_attempts=3, retry=RetryPolicy(base=timedelta(0), jitter=timedelta(0)))
async def second_time(ctx: Context) -> None:
    """Fail once."""
    if ctx.attempt == 1:
        raise RuntimeError("not yet")
    leave_a_line(ctx)


@hr.job(max_attempts=3, every=0.2)
async def tick(ctx: Context) -> None:
    """A schedule that goes on through the migration."""
    leave_a_line(ctx)


@hr.job(max_attempts=3, event="order.paid")
async def paid(ctx: Context, n: int = 0) -> None:
    """What an event makes."""
    leave_a_line(ctx)
