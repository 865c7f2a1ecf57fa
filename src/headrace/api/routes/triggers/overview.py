"""`/jobs/triggers/overview` and the like: many triggers at a glance, for people who look after them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors
from headrace.api.routes.triggers.requests import StretchQuery, TriggerQuery
from headrace.api.routes.triggers.responses import DueTime, TriggerAnswer, trigger_answer
from headrace.api.schemas import Page, ResponseModel
from headrace.triggers.run_now import MOST_BACKFILLED

router = new_router(prefix="/jobs/triggers", tags=["triggers"])


class TriggerRunAnswer(ResponseModel):
    """A due time or an event, and what became of its job."""

    at: datetime
    status: str | None = Field(description="the status of the job, or `skipped`; null once the job was removed")
    reason: str | None = Field(description="why the due time was skipped")
    job_id: UUID | None
    seconds: float | None = Field(description="the duration of the last attempt")


class TriggerSummaryAnswer(ResponseModel):
    """A trigger with its recent statistics."""

    trigger: TriggerAnswer
    words: str | None = Field(description="the rule of a schedule")
    clock_change: DueTime | None = Field(
        description="the first of the next ten due times that a change of clocks moves"
    )
    runs: list[TriggerRunAnswer] = Field(description="the last ten fires, newest first")


class DueAnswer(ResponseModel):
    """The future due times of a schedule."""

    trigger_id: UUID
    name: str
    definition: str
    times: list[datetime] = Field(description="all due times; where there are more than 168, some from the whole range")
    every_seconds: float | None = Field(description="the time between two due times, where not all are listed")


class CalendarAnswer(ResponseModel):
    """Future due times by the name of the trigger, for the first 200 triggers."""

    items: list[DueAnswer]
    more: bool


class BackfillPreview(ResponseModel):
    """The number of due times in a range; a backfill takes 10,000 at most."""

    due: int
    first: datetime | None
    last: datetime | None
    too_many: bool


GlancesAnswer = Page[TriggerSummaryAnswer]


@router.get("/overview")
async def overview_triggers(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[TriggerQuery, Query()]
) -> GlancesAnswer:
    """List triggers by name, each with its rule in words and its last ten fires."""
    after = await cursors.read(query.cursor)
    page = await service.triggers.overview(query.filter(), limit=query.limit, cursor=after)
    items = [
        TriggerSummaryAnswer(
            trigger=trigger_answer(one.trigger),
            words=one.words,
            clock_change=None if one.clock_change is None else DueTime.model_validate(one.clock_change),
            runs=[TriggerRunAnswer.model_validate(run) for run in one.runs],
        )
        for one in page.items
    ]
    return GlancesAnswer(items=items, next_cursor=await cursors.write(page.next_cursor))


@router.get("/calendar")
async def calendar_of_triggers(service: CurrentService, query: Annotated[StretchQuery, Query()]) -> CalendarAnswer:
    """List the due times of enabled schedules in a range."""
    calendar = await service.triggers.calendar(query.since, query.until)
    items = [
        DueAnswer(
            trigger_id=due.trigger.id,
            name=due.trigger.name,
            definition=due.trigger.definition,
            times=list(due.times),
            every_seconds=None if due.rhythm is None else due.rhythm.total_seconds(),
        )
        for due in calendar.items
    ]
    return CalendarAnswer(items=items, more=calendar.more)


@router.get("/{trigger_id}/backfill/preview")
async def preview_backfill(
    service: CurrentService, trigger_id: UUID, query: Annotated[StretchQuery, Query()]
) -> BackfillPreview:
    """Count the jobs that a backfill of a range would make."""
    times = await service.triggers.count_backfill(trigger_id, query.since, query.until)
    return BackfillPreview(
        due=min(len(times), MOST_BACKFILLED),
        first=times[0] if times else None,
        last=times[-1] if times else None,
        too_many=len(times) > MOST_BACKFILLED,
    )
