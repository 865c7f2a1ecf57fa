"""`/charts`: what happened over a while."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import Name, RequestModel, ResponseModel
from headrace.model.histogram import Histogram
from headrace.rollups.read import Step
from headrace.service.charts.service import Window

router = new_router(prefix="/charts", tags=["charts"])


class Spread(ResponseModel):
    """Of seconds: how many values there were, their mean, and below what half and nineteen of twenty lie."""

    count: int
    mean: float | None
    p50: float | None
    p95: float | None


class StepAnswer(ResponseModel):
    """What happened in one step."""

    at: datetime = Field(description="when it begins")
    enqueued: int
    requeued: int = Field(description="jobs that a person had run again")
    succeeded: int
    failed: int
    canceled: int
    dead_letter: int
    retried: int = Field(description="attempts after which the job waits again")
    depth: int = Field(description="the most jobs that were seen waiting")
    latency_seconds: Spread = Field(description="from queued to started")
    duration_seconds: Spread = Field(description="from started to finished")


class ChartAnswer(ResponseModel):
    """Steps of equal length, oldest first; the last is not over yet."""

    window: Window
    step_seconds: float
    until: datetime
    items: list[StepAnswer]


class BusyAnswer(ResponseModel):
    """A definition that ran in the window."""

    definition: str
    kind: str
    attempts: int
    failed: int = Field(description="attempts that failed, whatever came of the job")
    duration_seconds: Spread
    steps: list[int] = Field(description="attempts in each of twenty equal parts of the window, oldest first")


class BusiestAnswer(ResponseModel):
    """The definitions with the most attempts, most first."""

    window: Window
    items: list[BusyAnswer]


class UsualAnswer(ResponseModel):
    """How long runs of a definition take as a rule."""

    definition: str
    p50: float
    p95: float


class UsualsAnswer(ResponseModel):
    """Of every definition that ran in the last seven days."""

    items: list[UsualAnswer]


class BusiestQuery(RequestModel):
    """Of when, and how many."""

    window: Window = "1h"
    limit: int = Field(default=8, ge=1, le=100)


class ChartQuery(RequestModel):
    """What to draw."""

    window: Window = "1h"
    definition: Name | None = Field(default=None, description="of one definition; of all when absent")


class TenantRunsAnswer(ResponseModel):
    """Attempts of a tenant that ended in the last hour."""

    tenant: str
    runs: int


class QueueChartAnswer(ResponseModel):
    """A queue's last hour."""

    queue: str
    depth: list[int] = Field(description="the most jobs that were seen waiting, in 20 steps of 3 minutes, oldest first")
    shares: list[TenantRunsAnswer] = Field(description="whose jobs ran, most first")


class QueueChartsAnswer(ResponseModel):
    """The last hour of the queues in which something happened."""

    items: list[QueueChartAnswer]


def _spread(histogram: Histogram) -> Spread:
    return Spread(
        count=histogram.count, mean=histogram.mean, p50=histogram.percentile(0.5), p95=histogram.percentile(0.95)
    )


def _step(step: Step) -> StepAnswer:
    counts = step.counts
    return StepAnswer(
        at=step.at,
        enqueued=counts.enqueued,
        requeued=counts.requeued,
        succeeded=counts.succeeded,
        failed=counts.failed,
        canceled=counts.canceled,
        dead_letter=counts.dead_letter,
        retried=counts.retried,
        depth=step.depth,
        latency_seconds=_spread(step.latency),
        duration_seconds=_spread(step.duration),
    )


@router.get("/throughput")
async def chart_throughput(service: CurrentService, query: Annotated[ChartQuery, Query()]) -> ChartAnswer:
    """How many jobs came in and ended, how long they waited and ran."""
    chart = await service.charts.throughput(query.window, definition=query.definition)
    return ChartAnswer(
        window=query.window,
        step_seconds=chart.step.total_seconds(),
        until=chart.until,
        items=[_step(step) for step in chart.steps],
    )


@router.get("/busiest")
async def chart_busiest(service: CurrentService, query: Annotated[BusiestQuery, Query()]) -> BusiestAnswer:
    """The definitions with the most attempts."""
    busiest = await service.charts.busiest(query.window, limit=query.limit)
    items = [
        BusyAnswer(
            definition=busy.definition,
            kind=busy.kind,
            attempts=busy.runs,
            failed=busy.bad,
            duration_seconds=_spread(busy.duration),
            steps=busy.steps,
        )
        for busy in busiest
    ]
    return BusiestAnswer(window=query.window, items=items)


@router.get("/usual")
async def chart_usual(service: CurrentService) -> UsualsAnswer:
    """How long runs take as a rule, by definition: below p50 half of them, below p95 nineteen of twenty."""
    usual = await service.charts.usual()
    items = [
        UsualAnswer(definition=key, p50=p50, p95=p95)
        for key, durations in usual.items()
        if (p50 := durations.percentile(0.5)) is not None and (p95 := durations.percentile(0.95)) is not None
    ]
    return UsualsAnswer(items=items)


@router.get("/queues")
async def chart_queues(service: CurrentService) -> QueueChartsAnswer:
    """How deep each queue was in the last hour, and whose jobs ran."""
    return QueueChartsAnswer(items=[QueueChartAnswer.model_validate(one) for one in await service.queues.history()])
