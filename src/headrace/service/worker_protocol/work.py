"""The verbs of a worker over HTTP. The same statements as with a database login, and the same fences."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import asyncpg

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest, LeaseLost
from headrace.logs.write import write_lines
from headrace.model.job import ClaimedJob
from headrace.model.log_line import LogLine
from headrace.model.mask_outcome import mask_line, mask_transition
from headrace.model.masking import Masker
from headrace.model.text import clean
from headrace.model.transition import Transition
from headrace.queue.claim import list_held
from headrace.queue.finish import finish_attempts
from headrace.queue.lease import (
    ProgressReport,
    WorkerIdentity,
    list_cancel_requests,
    register_worker,
    renew_lease,
    stop_worker,
)
from headrace.service.door import Act, House, enter
from headrace.service.permissions import Forbidden, authorise
from headrace.service.principal import Principal
from headrace.service.worker_protocol.declare import sync_declared
from headrace.service.worker_protocol.desk import Desk, desk_of
from headrace.service.worker_protocol.hello import Hello, Synced, Welcome, grant_queues, refuse_sql_jobs
from headrace.worker.transport import Fence

SQL = statements(__file__)
MAX_PROGRESS_TEXT = 500
# What is due later than this, whoever promotes sees in time by itself.
SOON = 6.0
LOST = "this worker was called lost or has stopped: others may have its jobs; register anew"


class Heard(NamedTuple):
    """What a worker hears back: the time, which runs should stop, what it holds, and whether to drain."""

    server_time: datetime
    cancel: Sequence[Fence]
    held: Sequence[Fence]
    drain: bool


class Work:
    """For one principal. Every worker id is checked to be its own."""

    def __init__(self, house: House, principal: Principal) -> None:
        self._house = house
        self._principal = principal

    @property
    def _owner(self) -> str:
        """How a worker's row knows whose it is: a token, or whoever the host application says."""
        who = self._principal
        return f"principal {who.name}" if who.token_id is None else f"token {who.token_id}"

    async def register(self, hello: Hello) -> Welcome:
        """A new worker, or with a `worker_id` one that runs other definitions now. Its code's word is synced first."""
        self._authorise()
        refuse_sql_jobs(hello.definitions)
        queues = grant_queues(self._principal, hello.queues)
        async with enter(self._house, self._principal, "definitions.sync") as act:
            synced = Synced()
            for declared in hello.declared:
                await sync_declared(act, declared, synced)
            worker_id = await self._write_worker(act, hello, queues)
            renewed = await renew_lease(act.conn, worker_id=worker_id, running=0)
            if renewed is None:
                raise LeaseLost(LOST)
        return Welcome(worker_id, queues, renewed.now, hello.lease.total_seconds(), synced)

    async def _write_worker(self, act: Act, hello: Hello, queues: tuple[str, ...]) -> int:
        if hello.worker_id is not None:
            await desk_of(self._house.database).check_owner(hello.worker_id, self._owner)
            await act.conn.execute(SQL["serve_definitions"], hello.worker_id, list(hello.definitions))
            return hello.worker_id
        who = WorkerIdentity(
            hello.name,
            hello.hostname,
            hello.pid,
            hello.version,
            queues,
            hello.definitions,
            hello.concurrency,
            hello.lease,
            self._owner,
        )
        return await register_worker(act.conn, who)

    async def heartbeat(
        self,
        worker_id: int,
        *,
        running: int | None = None,
        memory_bytes: int | None = None,
        progress: Sequence[ProgressReport] = (),
        tell_held: bool = True,
    ) -> Heard:
        """Renew the lease, or `LeaseLost`. Progress of others' jobs is passed over."""
        async with self.at_desk(worker_id) as conn:
            held = await list_held(conn, worker_id=worker_id) if tell_held or running is None else []
            busy = len(held) if running is None else running
            renewed = await renew_lease(conn, worker_id=worker_id, running=busy, memory_bytes=memory_bytes)
            if renewed is None:
                raise LeaseLost(LOST)
            if progress:
                await self._write_progress(conn, worker_id, progress)
            cancel = await list_cancel_requests(conn, worker_id=worker_id) if running != 0 else []
        return Heard(renewed.now, cancel, held, renewed.drain)

    async def _write_progress(self, conn: Connection, worker_id: int, progress: Sequence[ProgressReport]) -> None:
        maskers = await self.maskers(conn, (job_id for job_id, _, message in progress if message))
        said = [
            (job_id, fraction, message and clean(maskers[job_id].mask_text(message), MAX_PROGRESS_TEXT))
            for job_id, fraction, message in progress
        ]
        await conn.execute(SQL["write_own_progress"], worker_id, *map(list, zip(*said, strict=True)))

    async def claim(
        self, worker_id: int, *, limit: int, suspects: int, wait: float, knows: Collection[Fence] | None = None
    ) -> list[ClaimedJob]:
        """Up to `limit` jobs; with `knows`, what the worker holds beside these is given back first, unspent."""
        desk = await self._check(worker_id)
        claims = desk.claims_of(worker_id)
        if knows is not None:
            await claims.release_unknown(knows)
        jobs = await claims.claim(limit=limit, suspects=suspects, wait=0)
        if jobs:
            return jobs
        async with desk.use() as conn:
            if not await conn.fetchval(SQL["is_live"], worker_id):
                raise LeaseLost(LOST)
        if wait > 0:
            desk.listen()
            jobs = await claims.claim(limit=limit, suspects=suspects, wait=wait)
        return jobs

    async def finish(self, worker_id: int, transitions: Sequence[Transition]) -> set[Fence]:
        """Write how runs ended; gives back those that are not this worker's any more. All or none is stored."""
        async with self.at_desk(worker_id) as conn:
            maskers = await self.maskers(conn, (ended.job_id for ended in transitions if _says_something(ended)))
        masked = [
            mask_transition(ended, maskers[ended.job_id]) if _says_something(ended) else ended for ended in transitions
        ]
        return await self.write_ended(worker_id, masked)

    async def write_ended(self, worker_id: int, transitions: Sequence[Transition]) -> set[Fence]:
        """The same for what is masked already."""
        try:
            async with self.at_desk(worker_id) as conn:
                refused = await finish_attempts(conn, worker_id=worker_id, transitions=transitions)
                if any(transition.final is None and 0 < transition.delay < SOON for transition in transitions):
                    await conn.execute(SQL["tell_due"])
        except (asyncpg.PostgresError, ValueError) as error:
            raise BadRequest(f"this cannot be stored: {type(error).__name__}: {error}") from error
        desk_of(self._house.database).ended(worker_id, (ended.job_id for ended in transitions))
        return refused

    async def write_logs(self, worker_id: int, lines: Sequence[LogLine]) -> set[Fence]:
        """Keep lines of runs that are this worker's; gives back those that are not. A repeat is not kept twice."""
        async with self.at_desk(worker_id) as conn:
            return await self.keep_lines(conn, worker_id, lines)

    async def keep_lines(self, conn: Connection, worker_id: int, lines: Sequence[LogLine]) -> set[Fence]:
        """Store lines without their secrets, or `BadRequest` for what is beyond repair."""
        maskers = await self.maskers(conn, (line.job_id for line in lines))
        masked = [mask_line(line, maskers[line.job_id]) for line in lines]
        try:
            return await write_lines(conn, worker_id, masked)
        except (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, ValueError) as error:
            raise BadRequest(f"these lines cannot be stored: {type(error).__name__}: {error}") from error

    async def maskers(self, conn: Connection, job_ids: Iterable[UUID]) -> Mapping[UUID, Masker]:
        """What must not be seen of what is said of these jobs."""
        return await desk_of(self._house.database).maskers.find(conn, self._house.secret_box(), job_ids)

    async def stop(self, worker_id: int) -> None:
        """Leave in order: what it still holds goes back, unspent."""
        desk = await self._check(worker_id)
        await desk.claims_of(worker_id).release_unknown(())
        async with desk.use() as conn:
            await stop_worker(conn, worker_id=worker_id)
        desk.forget(worker_id)

    @asynccontextmanager
    async def at_desk(self, worker_id: int) -> AsyncIterator[Connection]:
        """A connection for a worker that is this principal's."""
        desk = await self._check(worker_id)
        async with desk.use() as conn:
            yield conn

    async def _check(self, worker_id: int) -> Desk:
        self._authorise()
        desk = desk_of(self._house.database)
        await desk.check_owner(worker_id, self._owner)
        return desk

    def _authorise(self) -> None:
        authorise(self._principal, "worker.work")
        if self._principal.tenant is not None:
            raise Forbidden("a worker serves all tenants: do not choose one")


def _says_something(ended: Transition) -> bool:
    """Whether there is a text in which a secret could stand; of most runs that succeeded there is none."""
    return not (ended.error is ended.traceback is ended.result is ended.detail is None)
