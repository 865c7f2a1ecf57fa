"""The verbs of one run, for workers that speak of one job at a time: `LeaseLost` when it is not theirs any more."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from headrace.db.statements import statements
from headrace.errors import BadRequest, LeaseLost
from headrace.log import get_logger
from headrace.logs.write import stored_upto
from headrace.model.job.outcome import CannotRead, Fail, Failed, Outcome, Retry, Succeeded
from headrace.model.job.record import ClaimedJob, Terms
from headrace.model.job.retry import RetryPolicy
from headrace.model.job.status import JobStatus
from headrace.model.job.transition import MAX_TRACEBACK, Transition, decide, unformed
from headrace.model.log.line import LogLine
from headrace.model.secret.mask_outcome import mask_outcome
from headrace.model.secret.masking import Masker
from headrace.model.text import NotJsonError, clean, to_json
from headrace.service.worker_protocol.service import WorkerProtocol

SQL = statements(__file__)
log = get_logger("headrace.api")


class RunLine(NamedTuple):
    """A line of somebody who does not count: without a number, and maybe without a time."""

    message: str
    level: int
    stream: int
    at: datetime | None = None
    fields: str | None = None


class OneRun:
    """A run that a worker holds: the worker's id, the job and `run` are its fence."""

    def __init__(self, work: WorkerProtocol, worker_id: int, job_id: UUID, run: int) -> None:
        self._work = work
        self._worker_id = worker_id
        self._fence = (job_id, run)

    async def complete(self, result: Any) -> Transition:
        """It succeeded. A result that cannot be stored is refused, and the run goes on."""
        try:
            text = None if result is None else to_json(result)
        except NotJsonError as error:
            raise BadRequest(f"the result cannot be stored: {error}", field="result") from None
        return await self._end(Succeeded(text))

    async def fail(
        self, error: str, *, traceback: str | None, retryable: bool, retry_after: timedelta | None
    ) -> Transition:
        """It failed: another attempt by the definition's policy or `retry_after`, dead letter when none is left."""
        if not retryable:
            return await self._end(Fail(error), traceback)
        if retry_after is not None:
            return await self._end(Retry(retry_after, error), traceback)
        return await self._end(Failed(error), traceback)

    async def give_back_unread(self, reason: str, traceback: str | None) -> Transition:
        """Its worker could not read the payload, which is not the job's fault: unspent, for those who can."""
        return await self._end(CannotRead(reason), traceback)

    async def beat(self, progress: float | None, message: str | None) -> bool:
        """Renew the worker's lease; whether this run should stop."""
        reports = () if progress is None and message is None else [(self._fence[0], progress, message)]
        heard = await self._work.heartbeat(self._worker_id, progress=reports)
        if self._fence not in heard.held:
            raise LeaseLost
        return self._fence in heard.cancel

    async def say(self, lines: Sequence[RunLine]) -> int:
        """Keep lines, numbered after those that are there; gives back the last one's number."""
        async with self._work.as_live(self._worker_id) as conn, conn.transaction():
            now = await conn.fetchval(SQL["lock_run"], self._worker_id, *self._fence)
            if now is None:
                raise LeaseLost
            last = await stored_upto(conn, *self._fence)
            numbered = [
                LogLine(*self._fence, seq, line.at or now, line.level, line.stream, line.message, line.fields)
                for seq, line in enumerate(lines, last + 1)
            ]
            await self._work.keep_lines(conn, self._worker_id, numbered)
        return last + len(lines)

    async def _end(self, outcome: Outcome, traceback: str | None = None) -> Transition:
        job, canceled, masker = await self._job()
        try:
            if masker:  # before it is cut
                outcome, traceback = mask_outcome(outcome, masker), traceback and masker.mask_text(traceback)
            transition = decide(job, outcome, random.random())  # noqa: S311 - jitter is no secret
        except Exception as error:
            log.exception("outcome replaced by a failure", job_id=str(job.id), run=job.run)
            transition, traceback = unformed(*self._fence, error), None
        if canceled and transition.final is None:  # as the statement would have it
            transition = transition._replace(outcome="canceled", final=JobStatus.CANCELED, delay=0.0)
        if traceback is not None:
            transition = transition._replace(traceback=clean(traceback, MAX_TRACEBACK))
        if await self._work.write_ended(self._worker_id, [transition]):
            raise LeaseLost
        return transition

    async def _job(self) -> tuple[ClaimedJob, bool, Masker]:
        """As much of it as a decision takes, whether somebody asked for it to stop, and what is secret of it."""
        job_id = self._fence[0]
        async with self._work.as_live(self._worker_id) as conn:
            row = await conn.fetchrow(SQL["find_run"], self._worker_id, *self._fence)
            maskers = await self._work.maskers(conn, self._worker_id, () if row is None else (job_id,))
        if row is None:
            raise LeaseLost
        canceled, spent, max_attempts, definition, *retry = row
        policy = RetryPolicy(*(timedelta(seconds=seconds) for seconds in retry))
        terms = Terms(definition, None, policy)
        return ClaimedJob(*self._fence, spent, max_attempts, terms, "", "{}", None, None, ""), canceled, maskers[job_id]
