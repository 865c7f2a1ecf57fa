"""Shapes of claims, outcomes and lines, in batches of many runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, Field, ValidationInfo, field_validator, model_validator

from headrace.api.schemas import RequestModel, ResponseModel, Text
from headrace.model.job.detail import MAX_DETAIL, no_detail
from headrace.model.job.record import ClaimedJob, Terms
from headrace.model.job.status import JobStatus
from headrace.model.job.transition import FINALS, UNSPENT, Transition
from headrace.model.log.line import STREAMS, LogLine
from headrace.model.log.run_log import LONGEST_FIELDS
from headrace.model.payload.json_storage import storage_problem
from headrace.model.text import MAX_RESULT
from headrace.worker.claim.claim_session import LARGEST_CLAIM
from headrace.worker.transport.interface import Fence

JSON = "application/json"
LARGEST_BATCH = 2000
LONGEST_DELAY = 315_360_000

WorkerId = Annotated[int, Field(ge=1, lt=2**63, description="the id that `register` returned")]
Run = Annotated[int, Field(ge=1, lt=2**31, description="the number of the claim: with the worker's id, the fence")]
Outcome = Literal["succeeded", "failed", "timed_out", "retried", "snoozed", "released", "unreadable", "canceled"]
Stream = Literal["log", "stdout", "stderr", "notice"]


def _storable(limit: int) -> AfterValidator:
    def check(text: str) -> str:
        if (problem := storage_problem(text, limit)) is not None:
            raise ValueError(problem)
        return text

    return AfterValidator(check)


FieldsJson = Annotated[str, _storable(LONGEST_FIELDS)]
STREAM_NUMBERS = {name: number for number, name in STREAMS.items()}


class JobRef(BaseModel):
    """One claim of a job."""

    job_id: UUID
    run: int


class HeldRef(RequestModel):
    """A claim that the worker knows."""

    job_id: UUID
    run: Run


class Claim(RequestModel):
    """How many jobs a worker wants."""

    worker_id: WorkerId
    limit: int = Field(default=1, ge=1, le=LARGEST_CLAIM)
    wait_seconds: float = Field(default=0, ge=0, le=30, description="how long to wait for a job if there is none")
    suspects: int = Field(
        default=1,
        ge=0,
        le=1,
        description="how many suspects to accept: jobs that ran while their worker was lost; run them alone",
    )
    payloads: Literal["json", "text"] = Field(
        default="json", description="the form of payloads: JSON values, or texts that are JSON"
    )
    knows: list[HeldRef] | None = Field(
        fail_fast=True,
        default=None,
        max_length=100_000,
        description="all jobs that the worker owns; others that it got in a lost response are released",
    )

    def fences(self) -> Collection[Fence] | None:
        """What the worker knows."""
        return None if self.knows is None else {(held.job_id, held.run) for held in self.knows}


class ClaimedAnswer(BaseModel):
    """A job to run."""

    id: UUID
    run: int = Field(description="the number of the claim, to be sent with every request about it")
    attempt: int
    max_attempts: int
    definition: str
    tenant: str
    payload: dict[str, Any] | str
    correlation_id: str | None
    scheduled_for: AwareDatetime | None
    source: str
    timeout_seconds: float | None
    suspect: bool = Field(description="a worker was lost while it ran this one")
    queue: str
    trace_context: str | None = Field(description="`traceparent`, and after a blank `tracestate`, of who enqueued it")


class TermsAnswer(BaseModel):
    """The retry policy of a definition."""

    timeout_seconds: float | None
    retry_base_seconds: float
    retry_cap_seconds: float
    retry_jitter_seconds: float
    fair: bool = Field(description="whether tenants take turns in its queue")


class ClaimAnswer(BaseModel):
    """Jobs in the order in which they should run, and the terms of their definitions."""

    jobs: list[ClaimedAnswer]
    definitions: dict[str, TermsAnswer]


def claim_answer(jobs: Sequence[ClaimedJob], *, as_text: bool) -> bytes:
    """The body of an answer, put together by hand: payloads are JSON already, and must come out unchanged."""
    terms = {job.definition: job.terms for job in jobs}
    parts = (_claimed(job, json.dumps(job.payload) if as_text else job.payload) for job in jobs)
    definitions = json.dumps({key: _terms(of) for key, of in terms.items()})
    return f'{{"jobs":[{",".join(parts)}],"definitions":{definitions}}}'.encode()


def _claimed(job: ClaimedJob, payload: str) -> str:
    scheduled_for = "null" if job.scheduled_for is None else f'"{job.scheduled_for.isoformat()}"'
    correlation_id = "null" if job.correlation_id is None else json.dumps(job.correlation_id)
    trace = "null" if job.trace_context is None else json.dumps(job.trace_context)
    timeout = "null" if job.terms.timeout is None else repr(job.terms.timeout)
    return (
        f'{{"id":"{job.id}","run":{job.run},"attempt":{job.attempt},"max_attempts":{job.max_attempts},'
        f'"definition":"{job.definition}","tenant":{json.dumps(job.tenant)},"payload":{payload},'
        f'"correlation_id":{correlation_id},"scheduled_for":{scheduled_for},"source":{json.dumps(job.source)},'
        f'"timeout_seconds":{timeout},"suspect":{"true" if job.suspect else "false"},'
        f'"queue":{json.dumps(job.terms.queue)},"trace_context":{trace}}}'
    )


def _terms(terms: Terms) -> dict[str, float | None]:
    return {
        "timeout_seconds": terms.timeout,
        "retry_base_seconds": terms.retry.base.total_seconds(),
        "retry_cap_seconds": terms.retry.cap.total_seconds(),
        "retry_jitter_seconds": terms.retry.jitter.total_seconds(),
        "fair": terms.fair,
    }


class LeftOut(JobRef):
    """A field of an attempt that is not stored, and why; its place says so too."""

    field: str
    reason: str


class Ended(RequestModel):
    """The outcome of one attempt. Without a final status the job waits again, for `delay_seconds`."""

    job_id: UUID
    run: Run
    outcome: Outcome = "succeeded"
    final: Literal["succeeded", "failed", "canceled", "dead_letter"] | None = Field(
        default=None, description="the final status of the job; implied when the attempt succeeded or was canceled"
    )
    delay_seconds: float = Field(default=0, ge=0, le=LONGEST_DELAY)
    error: str | None = None
    traceback: str | None = None
    result_json: Text | None = Field(
        default=None, description="the result, as text that is JSON, up to a million characters"
    )
    detail_json: Text | None = Field(
        default=None, description="further details of the attempt, as text that is JSON, up to 10,240 characters"
    )

    @field_validator("result_json")
    @classmethod
    def _storable_result(cls, text: str | None, said: ValidationInfo) -> str | None:
        # Of an attempt that did not succeed it is left out instead: to record a failure must not fail.
        problem = text and said.data.get("outcome") == "succeeded" and storage_problem(text, MAX_RESULT)
        if problem:
            raise ValueError(problem)
        return text

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.final is None and self.outcome in ("succeeded", "canceled"):
            self.final = self.outcome
        if self.final not in FINALS[self.outcome]:
            raise ValueError(f"an attempt with outcome {self.outcome} cannot leave its job {self.final or 'waiting'}")
        return self

    @cached_property
    def left_out(self) -> list[LeftOut]:
        """What is not stored, since it goes beyond a bound."""
        bounds: dict[str, tuple[str | None, int]] = {"detail_json": (self.detail_json, MAX_DETAIL)}
        if self.outcome != "succeeded":
            bounds["result_json"] = (self.result_json, MAX_RESULT)
        problems = {name: text and storage_problem(text, most) for name, (text, most) in bounds.items()}
        return [
            LeftOut(job_id=self.job_id, run=self.run, field=name, reason=problem)
            for name, problem in problems.items()
            if problem
        ]

    def transition(self) -> Transition:
        """What is written."""
        reasons = {one.field: one.reason for one in self.left_out}
        detail = no_detail(reasons["detail_json"]) if "detail_json" in reasons else self.detail_json
        return Transition(
            self.job_id,
            self.run,
            self.outcome,
            None if self.final is None else JobStatus(self.final),
            self.outcome not in UNSPENT,
            self.delay_seconds,
            self.error,
            self.traceback,
            None if "result_json" in reasons else self.result_json,
            detail,
        )


class Finish(RequestModel):
    """Attempts that ended."""

    worker_id: WorkerId
    ended: list[Ended] = Field(fail_fast=True, max_length=LARGEST_BATCH)

    def left_out(self) -> list[LeftOut]:
        """What is not stored of them."""
        return [one for ended in self.ended for one in ended.left_out]


class Line(RequestModel):
    """A log line of an attempt, with its number."""

    job_id: UUID
    run: Run
    seq: int = Field(ge=1, lt=2**31, description="counted from 1 in each run, without a gap")
    at: AwareDatetime
    level: int = Field(default=20, ge=-(2**31), lt=2**31)
    stream: Stream = "log"
    message: str
    fields_json: FieldsJson | None = Field(default=None, description="as text that is JSON, up to 16,384 characters")

    def read(self) -> LogLine:
        """What is written."""
        number = STREAM_NUMBERS[self.stream]
        return LogLine(self.job_id, self.run, self.seq, self.at, self.level, number, self.message, self.fields_json)


class Lines(RequestModel):
    """Log lines of any of the worker's jobs."""

    worker_id: WorkerId
    lines: list[Line] = Field(fail_fast=True, max_length=LARGEST_BATCH)


class Progress(RequestModel):
    """The progress of a job."""

    job_id: UUID
    fraction: float | None = Field(default=None, ge=0, le=1)
    message: str | None = None


class RefusedAnswer(ResponseModel):
    """Claims that the worker no longer owns, for which nothing was written."""

    refused: list[JobRef]

    @classmethod
    def of(cls, fences: Collection[Fence]) -> Self:
        """As objects."""
        return cls(refused=[JobRef(job_id=job_id, run=run) for job_id, run in fences])


class FinishAnswer(RefusedAnswer):
    """Claims that the worker no longer owns, and fields that were left out of outcomes that were written."""

    left_out: list[LeftOut]
