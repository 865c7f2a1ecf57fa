"""The verbs of a worker over HTTP. The same statements as with a database login, and the same fences."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import asyncpg

from headrace.db.connect import Connection
from headrace.db.sqlstate import data_can_cause
from headrace.db.statements import statements
from headrace.errors import BadRequest, DatabaseUnusable, Forbidden, LeaseLost
from headrace.log import get_logger
from headrace.logs.write import write_lines
from headrace.model.job.record import ClaimedJob
from headrace.model.job.transition import Transition, unformed
from headrace.model.log.line import LogLine
from headrace.model.secret.mask_outcome import mask_line, mask_transition
from headrace.model.secret.masking import Masker
from headrace.model.text import clean
from headrace.queue.claim import list_held
from headrace.queue.finish import finish_attempts
from headrace.queue.lease import (
    ProgressReport,
    list_cancel_requests,
    note_standstill,
    register_worker,
    renew_lease,
    stop_worker,
)
from headrace.service.permissions import authorise
from headrace.service.principal import Principal
from headrace.service.session import Runtime, Scope, begin
from headrace.service.worker_protocol.declare import sync_declared
from headrace.service.worker_protocol.registration import (
    Registered,
    Registration,
    Synced,
    grant_queues,
    refuse_sql_jobs,
)
from headrace.service.worker_protocol.state import ProtocolState, protocol_state
from headrace.worker.transport.interface import Fence

SQL = statements(__file__)
log = get_logger("headrace.api")
MAX_PROGRESS_TEXT = 500
# What is due later than this, whoever promotes sees in time by itself.
SOON = 6.0
LOST = "this worker is lost or has stopped: other workers may have its jobs; register again"
NO_ATTEMPT_LEFT = (
    "the last attempt of a job has no final status: "
    'send "final": "dead_letter", or end the attempt with jobs/{id}/fail, for which the server decides'
)


class Acknowledged(NamedTuple):
    """What a worker hears back: the time, which runs should stop, what it holds, and whether to drain."""

    server_time: datetime
    cancel: Sequence[Fence]
    held: Sequence[Fence]
    drain: bool


class WorkerProtocol:
    """For one principal. Every worker id is checked to be its own."""

    def __init__(self, runtime: Runtime, principal: Principal) -> None:
        self._runtime = runtime
        self._principal = principal

    @property
    def _owner(self) -> str:
        """How a worker's row knows whose it is: a token, or whoever the host application says."""
        who = self._principal
        return f"principal {who.name}" if who.token_id is None else f"token {who.token_id}"

    async def register(self, hello: Registration) -> Registered:
        """A new worker, or with a `worker_id` one that runs other definitions now. Its code's word is synced first."""
        self._authorise()
        refuse_sql_jobs(hello.worker.definitions)
        queues = grant_queues(self._principal, hello.worker.queues)
        async with begin(self._runtime, self._principal, "definitions.sync") as scope:
            synced = Synced()
            for declared in hello.declared:
                await sync_declared(scope, declared, synced)
            worker_id = await self._write_worker(scope, hello, queues)
            renewed = await renew_lease(scope.conn, worker_id=worker_id, running=0)
            if renewed is None:
                raise LeaseLost(LOST)
        protocol_state(self._runtime.database).heard(worker_id, hello.worker.lease.total_seconds())
        return Registered(worker_id, queues, renewed.now, hello.worker.lease.total_seconds(), synced)

    async def _write_worker(self, scope: Scope, hello: Registration, queues: tuple[str, ...]) -> int:
        if hello.worker_id is not None:
            await protocol_state(self._runtime.database).check_owner(hello.worker_id, self._owner)
            definitions, schemas = list(hello.worker.definitions), json.dumps(hello.worker.schemas)
            await scope.conn.execute(SQL["serve_definitions"], hello.worker_id, definitions, schemas)
            return hello.worker_id
        return await register_worker(scope.conn, replace(hello.worker, queues=queues, principal=self._owner))

    async def heartbeat(
        self,
        worker_id: int,
        *,
        running: int | None = None,
        memory_bytes: int | None = None,
        progress: Sequence[ProgressReport] = (),
        tell_held: bool = True,
        stood_still: float | None = None,
    ) -> Acknowledged:
        """Renew the lease, or `LeaseLost`. Progress of others' jobs is passed over."""
        state = await self._check(worker_id)
        async with state.use() as conn:
            held = await list_held(conn, worker_id=worker_id) if tell_held or running is None else []
            busy = len(held) if running is None else running
            renewed = await renew_lease(conn, worker_id=worker_id, running=busy, memory_bytes=memory_bytes)
            if renewed is None:
                if stood_still is not None:
                    await note_standstill(conn, worker_id=worker_id, seconds=stood_still)
                raise LeaseLost(LOST)
            state.heard(worker_id)
            if progress:
                await self._write_progress(conn, worker_id, progress)
            cancel = await list_cancel_requests(conn, worker_id=worker_id) if running != 0 else []
        return Acknowledged(renewed.now, cancel, held, renewed.drain)

    async def _write_progress(self, conn: Connection, worker_id: int, progress: Sequence[ProgressReport]) -> None:
        maskers = await self.maskers(conn, worker_id, (job_id for job_id, _, message in progress if message))
        reports = [
            (job_id, fraction, message and clean(maskers[job_id].mask_text(message), MAX_PROGRESS_TEXT))
            for job_id, fraction, message in progress
            if not message or job_id in maskers
        ]
        if not reports:
            return
        await conn.execute(SQL["write_own_progress"], worker_id, *map(list, zip(*reports, strict=True)))

    async def claim(
        self, worker_id: int, *, limit: int, suspects: int, wait: float, knows: Collection[Fence] | None = None
    ) -> list[ClaimedJob]:
        """Up to `limit` jobs; with `knows`, what the worker holds beside these is given back first, unspent."""
        state = await self._check(worker_id)
        claims = state.claims_of(worker_id)
        await self._show_life(state, worker_id)
        if knows is not None:
            await claims.release_unknown(knows)
        jobs = await claims.claim(limit=limit, suspects=suspects, wait=0)
        if jobs:
            return jobs
        async with state.use() as conn:
            if not await conn.fetchval(SQL["is_live"], worker_id):
                raise LeaseLost(LOST)
        until = time.monotonic() + wait
        while not jobs and (left := until - time.monotonic()) > 0:
            # In parts, for a lease may be shorter than the wait.
            state.listen()
            jobs = await claims.claim(limit=limit, suspects=suspects, wait=min(left, state.renews_in(worker_id)))
            await self._show_life(state, worker_id)
        return jobs

    async def _show_life(self, state: ProtocolState, worker_id: int) -> None:
        if state.renews_in(worker_id) > 0:
            return
        async with state.use() as conn:
            if not await state.show_life(conn, worker_id):
                raise LeaseLost(LOST)

    async def finish(self, worker_id: int, transitions: Sequence[Transition]) -> set[Fence]:
        """Write how runs ended; gives back those that are not this worker's any more. All or none is stored."""
        async with self.as_live(worker_id) as conn:
            said = (ended.job_id for ended in transitions if _says_something(ended))
            maskers = await self.maskers(conn, worker_id, said)
        foreign = {(one.job_id, one.run) for one in transitions if _says_something(one) and one.job_id not in maskers}
        masked = [
            _masked(ended, maskers[ended.job_id]) if _says_something(ended) else ended
            for ended in transitions
            if (ended.job_id, ended.run) not in foreign
        ]
        return foreign | await self.write_ended(worker_id, masked)

    async def write_ended(self, worker_id: int, transitions: Sequence[Transition]) -> set[Fence]:
        """The same for what is masked already."""
        try:
            async with self.as_live(worker_id) as conn:
                refused = await finish_attempts(
                    conn,
                    worker_id=worker_id,
                    transitions=transitions,
                    unreadable_after=self._runtime.settings.jobs.unreadable_after_s,
                )
                if any(transition.final is None and 0 < transition.delay < SOON for transition in transitions):
                    await conn.execute(SQL["tell_due"])
        except (asyncpg.PostgresError, BadRequest, ValueError) as error:
            cause = (error.__cause__ if isinstance(error, BadRequest) else error) or error
            if isinstance(cause, asyncpg.CheckViolationError) and cause.constraint_name == "spent_within_maximum":
                raise BadRequest(NO_ATTEMPT_LEFT, field="final") from None
            problem = f"{type(cause).__name__}: {cause}"
            if isinstance(cause, BadRequest) or data_can_cause(cause):
                raise BadRequest(f"this cannot be stored: {problem}") from error
            raise DatabaseUnusable(f"this cannot be stored now: {problem}. Send the request again.") from error
        protocol_state(self._runtime.database).ended(worker_id, (ended.job_id for ended in transitions))
        return refused

    async def write_logs(self, worker_id: int, lines: Sequence[LogLine]) -> set[Fence]:
        """Keep lines of runs that are this worker's; gives back those that are not. A repeat is not kept twice."""
        async with self.as_live(worker_id) as conn:
            return await self.keep_lines(conn, worker_id, lines)

    async def keep_lines(self, conn: Connection, worker_id: int, lines: Sequence[LogLine]) -> set[Fence]:
        """Store lines without their secrets, or `BadRequest` for what is beyond repair."""
        maskers = await self.maskers(conn, worker_id, (line.job_id for line in lines))
        masked = [mask_line(line, maskers[line.job_id]) for line in lines if line.job_id in maskers]
        foreign = {(line.job_id, line.run) for line in lines if line.job_id not in maskers}
        try:
            return foreign | await write_lines(conn, worker_id, masked)
        except (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, ValueError) as error:
            raise BadRequest(f"these lines cannot be stored: {type(error).__name__}: {error}") from error

    async def maskers(self, conn: Connection, worker_id: int, job_ids: Iterable[UUID]) -> Mapping[UUID, Masker]:
        """What must not be seen of what is said of these jobs; without those that never were the worker's."""
        maskers = protocol_state(self._runtime.database).maskers
        return await maskers.find(conn, self._runtime.secret_box(), worker_id, job_ids)

    async def stop(self, worker_id: int) -> None:
        """Leave in order: what it still holds goes back, unspent."""
        state = await self._check(worker_id)
        await state.claims_of(worker_id).release_all()
        async with state.use() as conn:
            await stop_worker(conn, worker_id=worker_id)
        state.forget(worker_id)

    @asynccontextmanager
    async def as_live(self, worker_id: int) -> AsyncIterator[Connection]:
        """A connection for a worker that is this principal's, and whose request shows that it lives."""
        state = await self._check(worker_id)
        async with state.use() as conn:
            await state.show_life(conn, worker_id)
            yield conn

    async def _check(self, worker_id: int) -> ProtocolState:
        self._authorise()
        state = protocol_state(self._runtime.database)
        await state.check_owner(worker_id, self._owner)
        return state

    def _authorise(self) -> None:
        authorise(self._principal, "worker.work")
        if self._principal.tenant is not None:
            raise Forbidden("a worker serves all tenants: do not choose one")


def _masked(ended: Transition, masker: Masker) -> Transition:
    """Without its secrets; what cannot be masked is not stored, and its job ends all the same."""
    try:
        return mask_transition(ended, masker)
    except Exception as error:
        log.exception("outcome replaced by a failure", job_id=str(ended.job_id), run=ended.run)
        return unformed(ended.job_id, ended.run, error)


def _says_something(ended: Transition) -> bool:
    """Whether there is a text in which a secret could stand; of most runs that succeeded there is none."""
    return not (ended.error is ended.traceback is ended.result is ended.detail is None)
