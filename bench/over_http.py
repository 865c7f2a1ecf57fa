"""A worker over HTTP: one server process, one worker process, no-op jobs."""

from __future__ import annotations

import asyncio
import socket
import statistics
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from bench.app import hr
from bench.drain import drained, rate, running_process
from bench.lines import Line, Scale, at_least
from bench.stage import Stage
from headrace.service import Service

ROUNDS = 3
READY_WITHIN = 30.0


async def measure_http(stage: Stage, scale: Scale) -> list[Line]:
    """How fast one worker without a database login drains a queue through one server."""
    async with hr:
        made = await Service(hr).tokens.create("bench", "worker")
    rates = []
    async with serving(stage) as url:
        for _ in range(ROUNDS):
            await stage.clear()
            await stage.fill(scale.drain // 2)
            await stage.settle()
            environment = {"HEADRACE_TOKEN": made.token}
            async with running_process(stage, "bench.worker", "--url", url, environment=environment):
                await drained(stage)
            rates.append(await rate(stage, scale.drain // 2))
    return [at_least("drain: one worker over HTTP, no-op async jobs", statistics.median(rates), "jobs/s", 5_000)]


@asynccontextmanager
async def serving(stage: Stage) -> AsyncIterator[str]:
    """A server process over the stage, at an address of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with running_process(stage, "headrace", "serve", "--port", str(port)) as process:
        url = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient() as client, asyncio.timeout(READY_WITHIN):
            while process.returncode is None:
                try:
                    await client.get(url)
                    break
                except httpx.TransportError:
                    await asyncio.sleep(0.05)
        yield url
