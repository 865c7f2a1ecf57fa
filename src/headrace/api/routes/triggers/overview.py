"""`/jobs/triggers/overview` and the like: many triggers at a glance, for people who look after them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.routes.triggers.requests import StretchQuery, TriggerQuery
from headrace.api.routes.triggers.responses import DueTime, TriggerAnswer, trigger_answer
from headrace.api.schemas import Page, ResponseModel
from headrace.triggers.run_now import MOST_BACKFILLED

router = new_router(prefix="/jobs/triggers", tags=["triggers"])


class TriggerRunAnswer(ResponseModel):
    """A due time or an event, and what became of its job."""

    at: datetime
    status: str | None = Field(description="of the job, or `skipped`; null once history has let it go")
    reason: str | None = Field(description="why it was skipped")
    job_id: UUID | None
    seconds: float | None = Field(description="how long its last attempt ran")


class TriggerSummaryAnswer(ResponseModel):
    """A trigger, and how it has been doing."""

    trigger: TriggerAnswer
    words: str | None = Field(description="the rule of a schedule")
    clock_change: DueTime | None = Field(description="the first of the next ten times that a change of clocks moves")
    runs: list[TriggerRunAnswer] = Field(description="the last ten, newest first")


class DueAnswer(ResponseModel):
    """When a schedule will be due."""

    trigger_id: UUID
    name: str
    definition: str
    times: list[datetime] = Field(description="all, or some from all over the range where there are more than 168")
    every_seconds: float | None = Field(description="the time between the first two, where these are only some")


class CalendarAnswer(ResponseModel):
    """What will be due, by the name of the trigger: the first 200."""

    items: list[DueAnswer]
    more: bool


class BackfillPreview(ResponseModel):
    """How many due times a range has; a backfill takes 10,000 at most."""

    due: int
    first: datetime | None
    last: datetime | None
    too_many: bool


GlancesAnswer = Page[TriggerSummaryAnswer]


@router.get("/overview")
async def overview_triggers(service: CurrentService, query: Annotated[TriggerQuery, Query()]) -> GlancesAnswer:
    """Triggers by name, each with its rule in words and what became of its last ten due times."""
    page = await service.triggers.overview(query.filter(), limit=query.limit, cursor=query.cursor)
    items = [
        TriggerSummaryAnswer(
            trigger=trigger_answer(one.trigger),
            words=one.words,
            clock_change=None if one.clock_change is None else DueTime.model_validate(one.clock_change),
            runs=[TriggerRunAnswer.model_validate(run) for run in one.runs],
        )
        for one in page.items
    ]
    return GlancesAnswer(items=items, next_cursor=page.next_cursor)


@router.get("/calendar")
async def calendar_of_triggers(service: CurrentService, query: Annotated[StretchQuery, Query()]) -> CalendarAnswer:
    """What enabled schedules will do from one time to another."""
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
    """How many jobs a backfill of that range would make."""
    times = await service.triggers.count_backfill(trigger_id, query.since, query.until)
    return BackfillPreview(
        due=min(len(times), MOST_BACKFILLED),
        first=times[0] if times else None,
        last=times[-1] if times else None,
        too_many=len(times) > MOST_BACKFILLED,
    )
