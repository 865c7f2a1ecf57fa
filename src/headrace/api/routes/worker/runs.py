"""`/worker/jobs/{job_id}/…`: one run at a time, for workers that are a few lines of shell."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Self
from uuid import UUID

from pydantic import AwareDatetime, Field, model_validator

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.routes.worker.schemas import LONGEST_DELAY, STREAM_NUMBERS, Run, Stream, WorkerId
from headrace.api.schemas import RequestModel, ResponseModel
from headrace.errors import BadRequest
from headrace.model.job.status import JobStatus
from headrace.model.log.run_log import LONGEST_FIELDS
from headrace.model.text import NotJsonError, to_json
from headrace.service import Service
from headrace.service.worker_protocol.one_run import OneRun, RunLine

router = new_router(prefix="/worker/jobs/{job_id}", tags=["worker"])


class Fenced(RequestModel):
    """The worker and the claim; 409 `lease_lost` when the worker no longer owns the job."""

    worker_id: WorkerId
    run: Run

    def of(self, service: Service, job_id: UUID) -> OneRun:
        """The run that is meant."""
        return OneRun(service.work, self.worker_id, job_id, self.run)


class Completed(Fenced):
    """The attempt succeeded."""

    result: Any = Field(default=None, description="any JSON, up to a million characters")


class RunFailed(Fenced):
    """The attempt failed."""

    error: str = Field(description="the error, one line")
    traceback: str | None = None
    retryable: bool = Field(default=True, description="whether another attempt may succeed")
    retry_after_seconds: float | None = Field(
        default=None,
        ge=0,
        le=LONGEST_DELAY,
        description="delay before the next attempt; the definition's backoff when absent",
    )
    unreadable: bool = Field(
        default=False,
        description="whether this worker cannot read the payload: the job is released, without using up an attempt",
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.unreadable and not (self.retryable and self.retry_after_seconds is None):
            raise ValueError(
                "an unreadable job is released, without using up an attempt: omit `retryable` and "
                "`retry_after_seconds`, which are for a job that failed"
            )
        return self


class RunBeat(Fenced):
    """The attempt continues."""

    progress: float | None = Field(default=None, ge=0, le=1)
    message: str | None = None


class SaidLine(RequestModel):
    """A log line."""

    message: str
    level: int = Field(default=20, ge=0, le=100, description="10 debug, 20 info, 30 warning, 40 error")
    stream: Stream = "stdout"
    at: AwareDatetime | None = Field(default=None, description="the time of the line; now when absent")
    fields: dict[str, Any] | None = None

    def read(self) -> RunLine:
        """As the service takes it."""
        try:
            fields = None if self.fields is None else to_json(self.fields, LONGEST_FIELDS)
        except NotJsonError as error:
            raise BadRequest(str(error), field="fields") from None
        return RunLine(self.message, self.level, STREAM_NUMBERS[self.stream], self.at, fields)


class RunLines(Fenced):
    """Log lines of the attempt."""

    lines: list[SaidLine] = Field(fail_fast=True, max_length=1000)


class RunEnded(ResponseModel):
    """The state of the job: without a final status the job waits again, for `delay_seconds`.

    An `unreadable` job waits for at least `delay_seconds`, and is a dead letter when no worker could read it for
    `jobs.unreadable_after_s`.
    """

    outcome: str
    final: JobStatus | None
    delay_seconds: float


class RunBeatAnswer(ResponseModel):
    """The response to a heartbeat of one job."""

    cancel_requested: bool = Field(description="whether to stop, and report a failure")


class RunLinesAnswer(ResponseModel):
    """How many lines of the attempt are stored."""

    last_seq: int


@router.post("/complete")
async def complete_run(service: CurrentService, job_id: UUID, completed: Completed) -> RunEnded:
    """Report that the attempt succeeded."""
    ended = await completed.of(service, job_id).complete(completed.result)
    return RunEnded(outcome=ended.outcome, final=ended.final, delay_seconds=ended.delay)


@router.post("/fail")
async def fail_run(service: CurrentService, job_id: UUID, failed: RunFailed) -> RunEnded:
    """Report that the attempt failed; the definition and the number of attempts decide about another one."""
    after = None if failed.retry_after_seconds is None else timedelta(seconds=failed.retry_after_seconds)
    run = failed.of(service, job_id)
    if failed.unreadable:
        ended = await run.give_back_unread(failed.error, failed.traceback)
    else:
        ended = await run.fail(failed.error, traceback=failed.traceback, retryable=failed.retryable, retry_after=after)
    return RunEnded(outcome=ended.outcome, final=ended.final, delay_seconds=ended.delay)


@router.post("/heartbeat")
async def beat_run(service: CurrentService, job_id: UUID, beat: RunBeat) -> RunBeatAnswer:
    """Renew the worker's lease and report progress; the response has whether the job should stop."""
    return RunBeatAnswer(cancel_requested=await beat.of(service, job_id).beat(beat.progress, beat.message))


@router.post("/logs")
async def write_run_logs(service: CurrentService, job_id: UUID, lines: RunLines) -> RunLinesAnswer:
    """Append log lines of the attempt."""
    last = await lines.of(service, job_id).say([line.read() for line in lines.lines])
    return RunLinesAnswer(last_seq=last)
