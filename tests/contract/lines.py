"""Lines to the jobs over which log lines are lost, late or refused."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.model.log.line import LogLine
from headrace.worker.transport.interface import Fence, TransportAway
from headrace.worker.transport.postgres import PostgresTransport

# Each stands before whichever transport there is.
if TYPE_CHECKING:
    AnyLine = PostgresTransport
else:
    AnyLine = object


class ReplyLost(AnyLine):
    """Every second batch is stored, and its reply is lost."""

    batches = 0

    async def write_logs(self, lines: Sequence[LogLine]) -> set[Fence]:
        refused = await super().write_logs(lines)
        self.batches += 1
        if self.batches % 2:
            raise TransportAway("the reply was lost")
        return refused


class Slow(AnyLine):
    """A batch is on its way until it is let through."""

    under_way = 0
    through = asyncio.Event()

    async def write_logs(self, lines: Sequence[LogLine]) -> set[Fence]:
        self.under_way += 1
        await self.through.wait()
        return await super().write_logs(lines)


class Broken(AnyLine):
    """No line can be stored, for a reason that nobody thought of."""

    async def write_logs(self, lines: Sequence[LogLine]) -> set[Fence]:
        raise ValueError("nobody thought of it")
