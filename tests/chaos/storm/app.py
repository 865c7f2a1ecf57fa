"""The application of the storm: jobs of every kind, each of which notes when it starts and when it is done."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from datetime import timedelta
from typing import Any

from tests.chaos.storm.truth import PROCESS, SNOOZED, note

from headrace import Cancel, Context, Fail, Headrace, Retry, Snooze
from headrace.model.job.retry import RetryPolicy
from headrace.worker.maintenance.maintenance import Rescuer

Rescuer.interval = 0.5

hr = Headrace(app="tests.chaos.storm")
# So many that only a fault of the product can use them up.
MANY = 1000
SOON = RetryPolicy(base=timedelta(seconds=0.2), cap=timedelta(seconds=1), jitter=timedelta(seconds=0.1))


def started(ctx: Context) -> None:
    note("started", ctx.job_id, ctx.fencing_token)


def finished(ctx: Context) -> str:
    """The last thing that a good run does."""
    note("finished", ctx.job_id, ctx.fencing_token)
    return os.environ[PROCESS]


async def work(ctx: Context, seconds: float) -> str:
    started(ctx)
    await asyncio.sleep(seconds)
    return finished(ctx)


@hr.job(max_attempts=MANY, retry=SOON)
async def plain(ctx: Context, token: str) -> str:
    """Short, on the loop."""
    return await work(ctx, 0.01)


@hr.job(max_attempts=MANY, retry=SOON)
async def long(ctx: Context, token: str) -> str:
    """Some seconds, so that much can happen meanwhile; some of these are canceled."""
    return await work(ctx, 3)


@hr.job(max_attempts=MANY, retry=SOON)
def threaded(ctx: Context, token: str) -> str:
    """In a thread."""
    started(ctx)
    time.sleep(0.05)
    return finished(ctx)


@hr.job(max_attempts=MANY, retry=SOON, isolation="process")
def isolated(ctx: Context, token: str) -> str:
    """In a process of its own."""
    started(ctx)
    time.sleep(0.05)
    return finished(ctx)


@hr.job(max_attempts=MANY, retry=SOON)
async def flaky(ctx: Context, token: str) -> str:
    """Fails twice."""
    if ctx.attempt <= 2:
        started(ctx)
        raise ValueError("not yet")
    return await work(ctx, 0)


@hr.job(max_attempts=MANY, retry=SOON)
async def snoozing(ctx: Context, token: str) -> str:
    """Not in its first run."""
    if ctx.fencing_token == 1:
        started(ctx)
        raise Snooze(SNOOZED)
    return await work(ctx, 0)


@hr.job(max_attempts=3, retry=SOON)
async def doomed(ctx: Context, token: str) -> str:
    """Fails until it is a dead letter."""
    started(ctx)
    raise ValueError("never")


@hr.job(max_attempts=MANY)
async def failing(ctx: Context, token: str) -> str:
    """Gives up at once."""
    started(ctx)
    raise Fail("it can never succeed")


@hr.job(max_attempts=MANY)
async def withdrawn(ctx: Context, token: str) -> str:
    """Cancels itself."""
    started(ctx)
    raise Cancel("no longer wanted")


@hr.job(max_attempts=MANY, retry=SOON, max_concurrency=1)
async def one(ctx: Context, token: str) -> str:
    """One at a time."""
    return await work(ctx, 0.05)


@hr.job(max_attempts=MANY, retry=SOON, max_concurrency=6, concurrency_key="key", max_concurrency_per_key=2)
async def keyed(ctx: Context, token: str, key: int) -> str:
    """Six at a time, of each key two."""
    return await work(ctx, 0.05)


@hr.job(max_attempts=MANY, retry=SOON, rate_limit="20/s", rate_burst=5)
async def rated(ctx: Context, token: str) -> str:
    """Twenty a second."""
    return await work(ctx, 0)


@hr.job(max_attempts=MANY, retry=SOON)
async def fired(ctx: Context, trigger: str) -> str:
    """By a schedule."""
    return await work(ctx, 0)


@hr.job(max_attempts=MANY, retry=SOON)
async def heard(ctx: Context, token: str) -> str:
    """By an event."""
    return await work(ctx, 0)


@hr.job(max_attempts=2)
async def poison(ctx: Context, token: str) -> None:
    """Takes its worker with it."""
    started(ctx)
    note("poisoned")
    os.kill(os.getpid(), signal.SIGKILL)


@hr.job(max_attempts=2, retry=SOON, isolation="process")
def poison_child(ctx: Context, token: str) -> None:
    """Takes its own process with it, and no other."""
    started(ctx)
    os.kill(os.getpid(), signal.SIGKILL)


@hr.job(max_attempts=2, retry=SOON)
async def bad_outcome(ctx: Context, token: str, how: int) -> None:
    """Ends with a reason that is not text, as a slip in a handler would have it."""
    started(ctx)
    reason: Any = ValueError("not text")
    raise [
        Fail(reason),
        Retry(0.1, reason),
        Cancel(reason),
        Snooze(0.1, reason) if ctx.fencing_token == 1 else Fail(reason),
    ][how]
