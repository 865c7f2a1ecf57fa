"""Whether this process can do its work: asked by load balancers, so it says little and costs little."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import asyncpg

from headrace.db.compare import Kind, applied_schema, find_difference, known_schema
from headrace.db.connect import TRANSIENT, Connection
from headrace.db.statements import statements
from headrace.errors import HeadraceError
from headrace.log import get_logger
from headrace.service.session import Runtime

SQL = statements(__file__)
log = get_logger("headrace.service")

ANSWERS_WITHIN = 3.0
DELIVERS_WITHIN = 1.0
# Anybody may ask, so the database is asked once a second at most.
KNOWN_FOR = 1.0
DIFFERS: Mapping[Kind, str] = {
    "baseline": "the database was made with another baseline",
    "missing": "migrations are missing: {n}",
    "newer": "the database was migrated by a newer version",
    "changed": "the database has other migrations than this version",
    "functions": "function files of the database differ from this version's: {n}",
}
UNWELL: tuple[type[BaseException], ...] = (*TRANSIENT, asyncpg.PostgresError, HeadraceError)


class Readiness(NamedTuple):
    """What is wrong, in sentences that tell a stranger nothing; and how many workers live."""

    problems: list[str]
    workers: int = 0
    notifications: bool = False


class Health:
    """Asks the database, and remembers the answer for a moment."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._asking = asyncio.Lock()
        self._known: tuple[float, Readiness] | None = None

    async def check(self) -> Readiness:
        """Whether requests can be served and jobs will run."""
        async with self._asking:
            if self._known is None or time.monotonic() - self._known[0] > KNOWN_FOR:
                self._known = (time.monotonic(), await self._look())
            return self._known[1]

    async def _look(self) -> Readiness:
        try:
            database = self._runtime.database
            async with asyncio.timeout(ANSWERS_WITHIN), database.pool.acquire() as conn:
                return await _examine(conn, pooled=database.endpoint.pooled)
        except UNWELL as error:
            log.warning("readiness check failed", error=f"{type(error).__name__}: {error}")
            return Readiness(["the database does not respond"])


async def _examine(conn: Connection, *, pooled: bool) -> Readiness:
    differs = find_difference(await applied_schema(conn), known_schema())
    if differs is not None:
        return Readiness([DIFFERS[differs.kind].format(n=len(differs.names))])
    workers: int = await conn.fetchval(SQL["live_workers"])
    if pooled:
        # What a session says to itself may come back even there, and nobody else hears it: everybody polls instead.
        return Readiness([], workers, notifications=False)
    # With neither nothing would tell this process of a change, nor run a job.
    delivers = await _delivers(conn)
    problems = [] if workers or delivers else ["notifications are not delivered, and no worker is live"]
    return Readiness(problems, workers, delivers)


async def _delivers(conn: Connection) -> bool:
    """Whether what is sent over a connection comes back to who listens on it."""
    channel = f"headrace_probe_{secrets.token_hex(8)}"
    heard = asyncio.Event()

    def hear(*_: Any) -> None:
        heard.set()

    await conn.add_listener(channel, hear)
    try:
        await conn.execute(SQL["notify"], channel)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(heard.wait(), DELIVERS_WITHIN)
    finally:
        await conn.remove_listener(channel, hear)
    return heard.is_set()
