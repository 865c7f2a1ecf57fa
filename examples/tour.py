"""A tour of Headrace: success, retry, failure, progress, a delay and a schedule.

Run it with `headrace dev` (or `make dev`); it needs nothing but Python.
"""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta

from headrace import Context, Fail, Headrace, RetryPolicy

hr = Headrace()


@hr.job
async def say_hello(name: str) -> dict[str, str]:
    """Succeeds at once; what it returns is kept as the job's result."""
    return {"greeting": f"Hello, {name}!"}


@hr.job(max_attempts=3, retry=RetryPolicy(base=timedelta(seconds=1)))
async def call_flaky_service(ctx: Context) -> str:
    """Fails twice, is tried again after one and two seconds, and then succeeds."""
    if ctx.attempt < 3:
        raise ConnectionError("the service is not ready yet")
    return "the service answered"


@hr.job
async def charge_card(order: int) -> None:
    """Fails for good: no retry can mend it."""
    raise Fail(f"order {order}: the card has expired")


@hr.job(timeout=60)
def make_report(ctx: Context, pages: int = 5) -> int:
    """A sync handler: runs in a thread and says how far it is."""
    for page in range(pages):
        time.sleep(0.3)
        ctx.progress((page + 1) / pages, f"page {page + 1} of {pages}")
    return pages


@hr.job(queue="mail")
async def send_reminder(ctx: Context, user_id: int) -> None:
    """Enqueued with a delay: does not start before its time."""
    ctx.log.info("reminding", user_id=user_id, due=str(ctx.scheduled_for))
    await asyncio.sleep(0.1)


@hr.job(cron="0 3 * * *", timezone="Europe/Berlin")
async def nightly_cleanup() -> None:
    """Fires each night at three, as clocks in Berlin show it."""


async def enqueue_samples() -> None:
    """One of each, as an application would enqueue them."""
    await say_hello.enqueue(name="world")
    await call_flaky_service.enqueue()
    await charge_card.enqueue(order=7)
    await make_report.enqueue(pages=5)
    await send_reminder.enqueue(user_id=42, delay=timedelta(seconds=3), dedupe_key="reminder:42")
