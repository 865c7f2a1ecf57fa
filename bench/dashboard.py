"""The dashboard over a million jobs, in a real browser: first paint, what its requests take, and memory over time."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright
from tests.web.browsing import chromium
from tests.web.screens import OF_THE_SERVER, SCREENS

from bench.drain import running_process
from bench.history import fill_history
from bench.lines import Line, Scale, at_most
from bench.over_http import serving
from bench.stage import Stage
from headrace import Headrace
from headrace.service import Service

TENANT = "tenant1"
SCHEDULES = 100
ROUNDS = 6
A_SECOND = 200
WATCHED = ("/", "/jobs")
LOOK_EVERY = 15.0
PAINTED = """() => new Promise((tell) => new PerformanceObserver((list) => tell(list.getEntries().at(-1).startTime))
    .observe({ type: "largest-contentful-paint", buffered: true }))"""
# Milliseconds from the request to the end of its answer; the stream has no end, and what was given up no request.
TAKEN = """() => performance.getEntriesByType("resource")
    .filter(({ name, requestStart }) => name.includes("/api/") && !name.endsWith("/stream") && requestStart > 0)
    .map(({ requestStart, responseEnd }) => responseEnd - requestStart)"""
TRIGGERS = """
    insert into headrace.trigger (tenant_id, name, definition_id, trigger_type, cron, timezone)
    select t.id, 'schedule ' || n, d.id, 'schedule', case n % 4 when 0 then '*/5 * * * *' else n % 60 || ' 2 * * *' end,
           'Europe/Berlin'
      from generate_series(1, $2::int) as n, headrace.tenant as t, headrace.definition as d
     where t.name = $1 and d.key = 'definition4'
    returning id
"""


async def measure_dashboard(stage: Stage, scale: Scale) -> list[Line]:
    """Each screen as the large tenant's admin sees it, or a super-admin; then two of them for minutes."""
    await stage.clear()
    await fill_history(stage, scale.million, scale.million // 10)
    triggers = await stage.db.fetch(TRIGGERS, TENANT, SCHEDULES)
    job = await stage.db.fetchval(
        "select id from headrace.job where tenant_id = (select id from headrace.tenant where name = $1)"
        " order by id desc limit 1",
        TENANT,
    )
    async with Headrace(stage.endpoint.url, app="bench dashboard") as app:
        tokens = Service(app).tokens
        admin = (await tokens.create("bench", "super_admin")).token
        member = (await tokens.create("bench", "tenant_admin", tenant=TENANT)).token
    lines = []
    async with running_process(stage, "bench.worker"), serving(stage) as url, browser() as chrome:
        for name, path in SCREENS.items():
            address = path.format(job=job, trigger=triggers[0][0]).replace("greet", "definition4")
            async with signed_in(chrome, url, admin if name in OF_THE_SERVER else member) as page:
                lines += await _measure_screen(page, name, url + address)
        lines += await _measure_memory(stage, chrome, url, member, scale.minutes * 60)
    return lines


@asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    """Chromium, gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="headrace-bench-", ignore_cleanup_errors=True) as folder,
        chromium(Path(folder)) as url,
    ):
        async with async_playwright() as playwright:
            connected = await playwright.chromium.connect_over_cdp(url)
            yield connected
            await connected.close()


@asynccontextmanager
async def signed_in(chrome: Browser, url: str, token: str) -> AsyncIterator[Page]:
    """A page of somebody with that token."""
    context = await chrome.new_context(viewport={"width": 1440, "height": 900})
    try:
        answer = await context.request.post(f"{url}/api/v1/session", data={"token": token}, headers={"Origin": url})
        assert answer.status == 204, await answer.text()
        yield await context.new_page()
    finally:
        await context.close()


async def _measure_screen(page: Page, name: str, address: str) -> list[Line]:
    await page.goto(address)  # opens connections, plans statements
    await _answers(page)
    paints: list[float] = []
    times: list[float] = []
    for _ in range(ROUNDS):
        await page.goto(address)
        times += await _answers(page)
        paints.append(await page.evaluate(PAINTED))
    lines = [at_most(f"dashboard, {name}: largest paint, median", statistics.median(paints), "ms", 1000)]
    if len(times) > 1:
        lines.append(at_most("… its requests, p95", statistics.quantiles(times, n=20)[-1], "ms", 100))
    return lines


async def _answers(page: Page) -> list[float]:
    """What each request took, once a while passed without another: a page that is live is never quite idle.

    The page itself is asked: who listens to two hundred requests from outside takes as much time as they do.
    """
    seen: list[float] | None = None
    while True:
        await asyncio.sleep(0.7)
        found: list[float] = await page.evaluate(TAKEN)
        if seen is not None and len(found) == len(seen):
            return found
        seen = found


async def _measure_memory(stage: Stage, chrome: Browser, url: str, token: str, seconds: float) -> list[Line]:
    """How much more each screen has in use at the end than at the beginning, while jobs come and go."""
    async with flowing(stage), AsyncExitStack() as open_pages:
        pages = [await open_pages.enter_async_context(signed_in(chrome, url, token)) for _ in WATCHED]
        for page, path in zip(pages, WATCHED, strict=True):
            await page.goto(url + path)
        await asyncio.sleep(min(30.0, seconds / 5))
        looks = max(6, int(seconds / LOOK_EVERY))
        samples: list[list[float]] = [[] for _ in pages]
        for _ in range(looks):
            await asyncio.sleep(seconds / looks)
            for page, of_page in zip(pages, samples, strict=True):
                of_page.append(await _memory_in_use(page))
    what = f"after {seconds:.0f} s at {A_SECOND} jobs/s"
    return [
        at_most(f"memory of {path.strip('/') or 'the overview'} {what} ({_span(found)} MB)", _growth(found), "×", 1.1)
        for path, found in zip(WATCHED, samples, strict=True)
    ]


async def _memory_in_use(page: Page) -> float:
    """In MB, after what is no longer needed was collected."""
    session = await page.context.new_cdp_session(page)
    await session.send("HeapProfiler.collectGarbage")
    usage: dict[str, Any] = await session.send("Runtime.getHeapUsage")
    await session.detach()
    return float(usage["usedSize"]) / 1024 / 1024


def _growth(samples: list[float]) -> float:
    """Of the least: now and then an answer is on its way while one looks."""
    third = len(samples) // 3
    return min(samples[-third:]) / min(samples[:third])


@asynccontextmanager
async def flowing(stage: Stage) -> AsyncIterator[None]:
    """Jobs come all the while."""
    flow = asyncio.create_task(_flow(stage))
    try:
        yield
    finally:
        flow.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await flow


async def _flow(stage: Stage) -> None:
    connection = await stage.endpoint.connect("flow")
    while True:
        await connection.execute(
            "select count(*) from headrace.enqueue_many('noop', array_fill('{}'::jsonb, array[$1::int]), tenant => $2)",
            A_SECOND // 10,
            TENANT,
        )
        await asyncio.sleep(0.1)


def _span(samples: Iterable[float]) -> str:
    ordered = sorted(samples)
    return f"{ordered[0]:.1f}–{ordered[-1]:.1f}"
