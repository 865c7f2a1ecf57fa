"""Queues: what waits in each, who serves it, and how one is brought to a stand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from headrace.db.statements import statements
from headrace.errors import BadRequest, NotFound
from headrace.service.door import Act
from headrace.service.verbs import ServerVerbs

SQL = statements(__file__)


class Depth(NamedTuple):
    """Live jobs by status, as they were last sampled."""

    scheduled: int
    queued: int
    running: int


class LastHour(NamedTuple):
    """What became of jobs of the queue's definitions within the last hour."""

    enqueued: int
    succeeded: int
    failed: int
    retried: int


class Pause(NamedTuple):
    """Why a queue stands still, and until when."""

    paused_at: datetime
    paused_by: str
    note: str
    resume_at: datetime | None


class QueueRecord(NamedTuple):
    """A queue as it is."""

    queue: str
    depth: Depth
    oldest_age_seconds: float | None
    pause: Pause | None
    paused_definitions: list[str]
    workers: int
    last_hour: LastHour


class Queues(ServerVerbs):
    """List, pause, resume."""

    async def get(self, queue: str) -> QueueRecord:
        """The queue, or `NotFound`."""
        async with self._enter("queues.read") as act:
            return await _read(act, queue)

    async def pause(self, queue: str, *, note: str = "", resume_at: datetime | None = None) -> QueueRecord:
        """No more of its jobs are claimed, until somebody resumes it or until the time given; what runs, runs on."""
        if resume_at is not None and resume_at <= datetime.now(UTC):
            raise BadRequest("resume_at lies in the past", field="resume_at")
        async with self._enter("queues.pause") as act:
            await _read(act, queue)
            await act.conn.execute(SQL["pause_queue"], queue, note, act.principal.name, resume_at)
            await act.audit(queue, paused=True, note=note, resume_at=resume_at)
            return await _read(act, queue)

    async def resume(self, queue: str) -> QueueRecord:
        """Its jobs are claimed again. Definitions that were paused by themselves stay so."""
        async with self._enter("queues.pause") as act:
            await _read(act, queue)
            if await act.conn.fetchval(SQL["resume_queue"], queue):
                await act.audit(queue, paused=False)
            return await _read(act, queue)

    # Last, for below it `list` is no type any more.
    async def list(self, *, limit: int = 50, after: str | None = None) -> Sequence[QueueRecord]:
        """By name; those that come after one, up to the limit."""
        async with self._enter("queues.read") as act:
            return [_record(row) for row in await act.conn.fetch(SQL["list_queues"], after, limit, None)]


async def _read(act: Act, queue: str) -> QueueRecord:
    row = await act.conn.fetchrow(SQL["list_queues"], None, 1, queue)
    if row is None:
        raise NotFound(f'unknown queue "{queue}"')
    return _record(row)


def _record(row: Any) -> QueueRecord:
    name, scheduled, queued, running, oldest, definitions, workers, *rest = row
    done, pause = rest[:4], rest[4:]
    return QueueRecord(
        name,
        Depth(scheduled, queued, running),
        oldest,
        Pause(*pause) if pause[0] is not None else None,
        definitions,
        workers,
        LastHour(*done),
    )
