"""`/errors`: what fails, alike failures counted together."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import Name, RequestModel, ResponseModel
from headrace.service.failures.service import ErrorWindow, FailureGroup

router = new_router(prefix="/errors", tags=["errors"])


class ErrorQuery(RequestModel):
    """The window and the filters."""

    window: ErrorWindow = "24h"
    definition: Name | None = None


class SampleAnswer(ResponseModel):
    """The newest failed attempt of a group."""

    job_id: UUID
    run: int
    worker: str | None
    error: str
    traceback: str | None


class ErrorKindAnswer(ResponseModel):
    """A group of similar failures."""

    fingerprint: str = Field(description="the error; ‹n›, ‹id› and ‹…› stand for numbers, ids and quoted parts")
    definitions: list[str] = Field(description="definitions with the failure, the most frequent first")
    attempts: int
    jobs: int
    retryable: list[UUID] = Field(
        description="jobs that ended with the failure and may be retried, newest first, up to 1,000"
    )
    dead_letters: int = Field(description="the dead letters among these jobs")
    first_seen: datetime = Field(description="the time of the first failure within the searched window")
    last_seen: datetime
    steps: list[int] = Field(description="failed attempts over the window, in 36 steps, oldest first")
    sample: SampleAnswer


class ErrorsAnswer(ResponseModel):
    """Groups of failures, the most recent first."""

    since: datetime
    until: datetime
    searched_to: datetime = Field(
        description="the start of the searched window; later than `since` where there are too many failures"
    )
    items: list[ErrorKindAnswer]


def _answer(kind: FailureGroup) -> ErrorKindAnswer:
    return ErrorKindAnswer(
        fingerprint=kind.fingerprint,
        definitions=[key for key, _ in kind.definitions.most_common()],
        attempts=kind.attempts,
        jobs=len(kind.jobs),
        retryable=list(kind.retryable),
        dead_letters=sum(final == "dead_letter" for final in kind.retryable.values()),
        first_seen=kind.first_seen,
        last_seen=kind.last_seen,
        steps=kind.steps,
        sample=SampleAnswer.model_validate(kind.sample),
    )


@router.get("")
async def list_errors(service: CurrentService, query: Annotated[ErrorQuery, Query()]) -> ErrorsAnswer:
    """List recent failures, similar ones counted together."""
    failures = await service.errors.list(query.window, definition=query.definition)
    return ErrorsAnswer(
        since=failures.since,
        until=failures.until,
        searched_to=failures.searched_to,
        items=[_answer(kind) for kind in failures.kinds],
    )
