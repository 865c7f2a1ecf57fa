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
    """What to look at."""

    window: ErrorWindow = "24h"
    definition: Name | None = None


class SampleAnswer(ResponseModel):
    """The newest attempt of a kind."""

    job_id: UUID
    run: int
    worker: str | None
    error: str
    traceback: str | None


class ErrorKindAnswer(ResponseModel):
    """Failures that are alike."""

    fingerprint: str = Field(description="the error; ‹n›, ‹id› and ‹…› stand for numbers, ids and quoted parts")
    definitions: list[str] = Field(description="where it happens, most first")
    attempts: int
    jobs: int
    retryable: list[UUID] = Field(description="jobs that it ended and that may be retried, newest first, up to 1,000")
    dead_letters: int = Field(description="of those, the ones that are dead letters")
    first_seen: datetime = Field(description="within what was searched")
    last_seen: datetime
    steps: list[int] = Field(description="attempts over the window, in 36 steps, oldest first")
    sample: SampleAnswer


class ErrorsAnswer(ResponseModel):
    """Kinds of failures, the one that was seen last first."""

    since: datetime
    until: datetime
    searched_to: datetime = Field(description="later than `since` where more failed than is looked at")
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
    """What failed lately, alike failures counted together."""
    failures = await service.errors.list(query.window, definition=query.definition)
    return ErrorsAnswer(
        since=failures.since,
        until=failures.until,
        searched_to=failures.searched_to,
        items=[_answer(kind) for kind in failures.kinds],
    )
