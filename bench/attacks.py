"""Requests that once stopped everybody: how long the slowest look at `/healthz` takes meanwhile."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx

from bench.app import hr
from bench.lines import Line, Scale, at_most
from bench.over_http import serving
from bench.stage import Stage
from headrace.service import Service

MB = 1024 * 1024
AT_MOST_MS = 100
SECONDS = 120.0
HALF_HEADS, HELD_SECONDS = 600, 12.0


class Target:
    """The server, and who attacks it."""

    def __init__(self, url: str, tokens: dict[str, str]) -> None:
        self.url, self.tokens = url, tokens
        self.host, self.port = url.removeprefix("http://").split(":")

    def head(self, path: str, length: int, role: str | None = None) -> bytes:
        """The head of a request with a body of that length."""
        token = f"Authorization: Bearer {self.tokens[role]}\r\n" if role else ""
        return (
            f"POST /api/v1/{path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{token}"
            f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        ).encode()

    async def send(self, head: bytes, piece: bytes, times: int) -> None:
        """Over a connection of its own, to the answer or to its end."""
        reader, writer = await asyncio.open_connection(self.host, int(self.port))
        try:
            writer.write(head)
            for _ in range(times):
                writer.write(piece)
                await writer.drain()
            await reader.read(1)
        except ConnectionError:
            pass  # refused in the middle
        finally:
            writer.close()

    async def post(self, path: str, body: Any, role: str) -> None:
        """A request that is whole."""
        headers = {"Authorization": f"Bearer {self.tokens[role]}"}
        async with httpx.AsyncClient(base_url=f"{self.url}/api/v1/", headers=headers, timeout=SECONDS) as client:
            await client.post(path, json=body)


async def nothing(_target: Target) -> None:
    await asyncio.sleep(3)


async def brackets(target: Target) -> None:
    await target.send(target.head("jobs", 31 * MB), b"[" * MB, 31)


async def brackets_with_a_token(target: Target) -> None:
    await target.send(target.head("jobs/batch", 31 * MB, "tenant_admin"), b"[" * MB, 31)


async def unfinished_bodies(target: Target) -> None:
    head, piece = target.head("jobs", 32 * MB) + b'"', b"x" * MB
    sending = [asyncio.create_task(target.send(head, piece, 30)) for _ in range(30)]
    await asyncio.wait(sending, timeout=HELD_SECONDS)
    for task in sending:
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)


async def half_heads(target: Target) -> None:
    opened = [await asyncio.open_connection(target.host, int(target.port)) for _ in range(HALF_HEADS)]
    for _, writer in opened:
        writer.write(b"POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nX-Half")
    await asyncio.sleep(HELD_SECONDS)
    for _, writer in opened:
        writer.close()


async def large_batch(target: Target) -> None:
    jobs = [{"definition": "noop", "payload": {"number": 1, "text": "x" * 2000}} for _ in range(10_000)]
    await target.post("jobs/batch", {"jobs": jobs}, "tenant_admin")


async def costly_render(target: Target) -> None:
    condition = f"not_null({', '.join(['to_string(event)'] * 20)})"
    event = {"text": "x" * 900_000}
    sample = {"event": "a.b", "data": event, "condition": condition, "payload": {}}
    await target.post("jobs/triggers/test-render", sample, "tenant_admin")


async def doubling_schema(target: Target) -> None:
    rules = {f"r{n}": {"anyOf": [{"$ref": f"#/$defs/r{n + 1}"}] * 2} for n in range(25)}
    schema = {"properties": {"a": {"$ref": "#/$defs/r0"}}, "$defs": {**rules, "r25": {"type": "string"}}}
    definition = {"key": "hostile", "kind": "python", "hash": "x", "payload_schema": schema}
    hello = {"name": "w", "hostname": "h", "pid": 1, "version": "0", "queues": ["default"], "concurrency": 1}
    await target.post("worker/register", {**hello, "definitions": [definition]}, "worker")


async def rare_preview(target: Target) -> None:
    await target.post("jobs/triggers/preview", {"cron": "0 0 29 2 *", "count": 1000}, "tenant_admin")


ATTACKS: tuple[Callable[[Target], Awaitable[None]], ...] = (
    nothing,
    brackets,
    brackets_with_a_token,
    unfinished_bodies,
    half_heads,
    large_batch,
    costly_render,
    doubling_schema,
    rare_preview,
)


async def measure_attacks(stage: Stage, scale: Scale) -> list[Line]:
    """The slowest look at the health of a real server during each attack."""
    async with hr:
        made = Service(hr).tokens
        tokens = {
            "tenant_admin": (await made.create("bench", "tenant_admin", tenant="default")).token,
            "worker": (await made.create("bench", "worker")).token,
        }
    lines = []
    async with serving(stage) as url:
        for attack in ATTACKS:
            async with looking(url) as took:
                await asyncio.wait_for(attack(Target(url, tokens)), SECONDS)
            lines.append(at_most(f"/healthz during: {attack.__name__.replace('_', ' ')}", max(took), "ms", AT_MOST_MS))
    return lines


@asynccontextmanager
async def looking(url: str) -> AsyncIterator[list[float]]:
    """Another process looks at the server's health during the block; afterwards the list has what each look took."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.health", url, stdin=pipe, stdout=pipe, limit=64 * MB
    )
    took: list[float] = []
    await asyncio.sleep(0.5)  # it has begun
    try:
        yield took
    finally:
        out, _ = await process.communicate(b"")  # which ends its input
        took += json.loads(out)
