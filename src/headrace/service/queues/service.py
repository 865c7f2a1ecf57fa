"""Queues: what waits in each, who serves it, and how one is brought to a stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict, Unpack

from headrace.db.statements import statements
from headrace.errors import NotFound
from headrace.model.pause import Pause
from headrace.model.settings.setting import QUEUE
from headrace.service.base import ServerService
from headrace.service.session import Ahead, Scope

SQL = statements(__file__)
# Of an hour: enough for a line as long as a word.
STEPS = 20


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


class QueueSettings(NamedTuple):
    """How its jobs are served: how many at once, in turns by tenant or not, and after how long as the most urgent."""

    max_running: int | None = None
    fair: bool = False
    ageing_seconds: int = 3600


class QueueRecord(NamedTuple):
    """A queue as it is."""

    queue: str
    depth: Depth
    oldest_age_seconds: float | None
    pause: Pause | None
    paused_definitions: list[str]
    workers: int
    last_hour: LastHour
    settings: QueueSettings


class TenantRuns(NamedTuple):
    """Attempts of a tenant that ended."""

    tenant: str
    runs: int


class QueueHistory(NamedTuple):
    """A queue's last hour: the most jobs that waited in each step, oldest first, and whose jobs ran, most first."""

    queue: str
    depth: list[int]
    shares: list[TenantRuns]


class QueueChanges(TypedDict, total=False):
    """Settings to change."""

    max_running: int | None
    fair: bool
    ageing_seconds: int


class Queues(ServerService):
    """List, change, pause, resume."""

    async def get(self, queue: str) -> QueueRecord:
        """The queue, or `NotFound`."""
        async with self._begin("queues.read") as scope:
            return await _read(scope, queue)

    async def history(self) -> Sequence[QueueHistory]:
        """The last hour of every queue in which something happened."""
        async with self._begin("queues.read") as scope:
            depths = await scope.conn.fetch(SQL["queue_depths"], STEPS)
            shares = await scope.conn.fetch(SQL["queue_shares"])
        histories: dict[str, QueueHistory] = {}
        for queue in sorted({row["queue"] for row in (*depths, *shares)}):
            histories[queue] = QueueHistory(queue, [0] * STEPS, [])
        for queue, step, depth in depths:
            histories[queue].depth[min(step, STEPS) - 1] = depth
        for queue, tenant, runs in shares:
            histories[queue].shares.append(TenantRuns(tenant, runs))
        return list(histories.values())

    async def change(self, queue: str, **changes: Unpack[QueueChanges]) -> QueueRecord:
        """What is named changes, from now on and in every worker; a limit of none lifts it."""
        if not re.fullmatch(QUEUE, queue):
            raise NotFound(f'unknown queue "{queue}"')
        async with self._begin("queues.change") as scope:
            await scope.conn.execute(SQL["ensure_settings"], queue)
            row: Any = await scope.conn.fetchrow(SQL["lock_settings"], queue)
            before = QueueSettings(*row)
            after = before._replace(**changes)
            await scope.conn.execute(SQL["change_settings"], queue, *after)
            await scope.audit(queue, before=before._asdict(), after=after._asdict())
            return await _read(scope, queue)

    async def pause(self, queue: str, *, note: str = "", resume_at: Ahead | None = None) -> QueueRecord:
        """No more of its jobs are claimed, until somebody resumes it or until the time given; what runs, runs on."""
        async with self._begin("queues.pause") as scope:
            end = await scope.from_now(resume_at, "resume_at")
            await _read(scope, queue)
            await scope.conn.execute(SQL["pause_queue"], queue, note, scope.principal.name, end)
            await scope.audit(queue, paused=True, note=note, resume_at=end)
            return await _read(scope, queue)

    async def resume(self, queue: str) -> QueueRecord:
        """Its jobs are claimed again. Definitions that were paused by themselves stay so."""
        async with self._begin("queues.pause") as scope:
            await _read(scope, queue)
            if await scope.conn.fetchval(SQL["resume_queue"], queue):
                await scope.audit(queue, paused=False)
            return await _read(scope, queue)

    # Last, for below it `list` is no type any more.
    async def list(
        self, *, limit: int = 50, after: str | None = None, include_system: bool = False
    ) -> Sequence[QueueRecord]:
        """By name; those that come after one, up to the limit. That of Headrace's own jobs only if that is said."""
        async with self._begin("queues.read") as scope:
            rows = await scope.conn.fetch(SQL["list_queues"], after, limit, None, include_system)
            return [_record(row) for row in rows]


async def _read(scope: Scope, queue: str) -> QueueRecord:
    row = await scope.conn.fetchrow(SQL["list_queues"], None, 1, queue, True)
    if row is None:
        raise NotFound(f'unknown queue "{queue}"')
    return _record(row)


def _record(row: Any) -> QueueRecord:
    name, scheduled, queued, running, oldest, definitions, workers, *rest = row
    done, pause, settings = rest[:4], rest[4:8], rest[8:]
    return QueueRecord(
        name,
        Depth(scheduled, queued, running),
        oldest,
        Pause(*pause) if pause[0] is not None else None,
        definitions,
        workers,
        LastHour(*done),
        QueueSettings(*settings),
    )
