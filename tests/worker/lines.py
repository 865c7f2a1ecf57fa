"""Lines to the jobs with a fault, or a habit; each stands before whichever transport there is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from headrace.db.connect import Connection
from headrace.model.job.record import ClaimedJob
from headrace.model.job.transition import Transition
from headrace.worker.process.base import Process
from headrace.worker.process.database_worker import WorkerProcess
from headrace.worker.transport.http import HttpTransport
from headrace.worker.transport.interface import Fence, TransportAway
from headrace.worker.transport.postgres import PostgresTransport

if TYPE_CHECKING:
    AnyLine = PostgresTransport
else:
    AnyLine = object


class Greedy(AnyLine):
    """Always fetches five more than it was asked for, as a worker of very short jobs would."""

    async def claim(
        self, *, limit: int, suspects: int, held: Callable[[], Collection[Fence]], wait: float
    ) -> list[ClaimedJob]:
        return await super().claim(limit=limit + 5, suspects=suspects, held=held, wait=wait)


class Forgetful(AnyLine):
    """The first outcomes are written, and the line is cut before the reply comes."""

    cut = False

    async def finish(self, transitions: Sequence[Transition]) -> set[Fence]:
        refused = await super().finish(transitions)
        if not self.cut:
            self.cut = True
            raise TransportAway("cut before the reply")
        return refused


def cut_first_replies(process: Process, n: int = 1) -> list[str]:
    """The first claims that take jobs happen, and the line is cut before their replies come; gives the cuts."""
    cuts: list[str] = []
    transport: Any = process._transport
    if isinstance(process, WorkerProcess):
        look = transport.claims._look

        async def cut_look(conn: Connection, limit: int, suspects: int) -> list[ClaimedJob]:
            jobs: list[ClaimedJob] = await look(conn, limit, suspects)
            if jobs and len(cuts) < n:
                cuts.append("cut")
                raise ConnectionResetError("cut before the reply")
            return jobs

        transport.claims._look = cut_look
    else:
        assert isinstance(transport, HttpTransport)
        post = transport._server.post

        async def cut_post(path: str, body: bytes, *, waits: float = 0.0) -> Any:
            answer = await post(path, body, waits=waits)
            if path == "jobs/claim" and answer["jobs"] and len(cuts) < n:
                cuts.append("cut")
                raise TransportAway("cut before the reply")
            return answer

        transport._server.post = cut_post  # type: ignore[method-assign]
    return cuts
