"""What a built-in job works with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from headrace.capture import current
from headrace.config import Settings
from headrace.db.connect import OwnConnection
from headrace.db.database import Database

# Longer than any statement of theirs takes; a connection that was cut without a word is not waited on for ever.
COMMAND_TIMEOUT = 600.0


@dataclass(frozen=True, slots=True)
class Workplace:
    """The database and the settings of the process that runs it."""

    database: Database
    settings: Settings

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[OwnConnection]:
        """A connection of the job's own, outside a transaction; however long it takes, the pool is not short of one."""
        conn = await self.database.endpoint.connect("built-in", command_timeout=COMMAND_TIMEOUT)
        try:
            yield conn
        finally:
            await conn.close(timeout=2)

    def progress(self, fraction: float) -> None:
        """How far it is; said of the job, where it is one."""
        context = current.get()
        if context is not None:
            context.progress(fraction)
