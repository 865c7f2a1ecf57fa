"""Ending calls from outside, over a connection of the same role: it may signal its own sessions and no others."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

from headrace.db.connect import Endpoint
from headrace.db.link import DatabaseAway, Link
from headrace.db.statements import statements
from headrace.log import get_logger

SQL = statements(__file__)
log = get_logger("headrace.sql")

LOOK_MS = 500
PATIENCE = 10.0
RETRY_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Backend:
    """A session of the server; its start tells it from a later one with the same process id."""

    pid: int
    started: datetime


class Control:
    """Kept open once used, so that a server full of connections can still be told to end one."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._link = Link(endpoint, "sql control")

    async def cancel(self, backend: Backend) -> None:
        """Ask once; a function may swallow it."""
        try:
            async with self._link.use() as conn:
                await conn.execute(SQL["cancel"], backend.pid, backend.started)
        except DatabaseAway as away:
            log.warning("cancel of a SQL job failed", pid=backend.pid, error=str(away))

    async def terminate(self, backend: Backend) -> None:
        """End the session, and return when it is gone, or cannot be ended."""
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while asyncio.get_running_loop().time() < deadline:
            try:
                async with self._link.use() as conn:
                    gone = await conn.fetchval(SQL["terminate"], backend.pid, backend.started, LOOK_MS)
                if gone is not False:  # true, or none when it was gone before
                    return
            except DatabaseAway:
                await asyncio.sleep(RETRY_SECONDS)
        log.error("end of a SQL job's session refused", pid=backend.pid)

    async def close(self) -> None:
        """Give the connection back."""
        await self._link.close()
