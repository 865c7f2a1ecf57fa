"""Lines to the database with a fault, or a habit."""

from __future__ import annotations

from collections.abc import Callable, Collection

from headrace.db.connect import Connection
from headrace.model.job import ClaimedJob
from headrace.worker.postgres import PostgresTransport
from headrace.worker.transport import Fence


class Greedy(PostgresTransport):
    """Always fetches five more than it was asked for, as a worker of very short jobs would."""

    async def claim(
        self, *, limit: int, suspects: int, held: Callable[[], Collection[Fence]], wait: float
    ) -> list[ClaimedJob]:
        return await super().claim(limit=limit + 5, suspects=suspects, held=held, wait=wait)


class Cut(PostgresTransport):
    """The first claim that takes jobs happens, and the line is cut before its reply comes."""

    cuts = 0

    async def _take(self, conn: Connection, limit: int, suspects: int) -> list[ClaimedJob]:
        jobs = await super()._take(conn, limit, suspects)
        if jobs and not self.cuts:
            self.cuts = 1
            raise ConnectionResetError("cut before the reply")
        return jobs
