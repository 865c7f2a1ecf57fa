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
    """Statistics of seconds: the number of values, their mean, the median and the 95th percentile."""

    count: int
    mean: float | None
    p50: float | None
    p95: float | None


class StepAnswer(ResponseModel):
    """Counts of one step."""

    at: datetime = Field(description="the start of the step")
    enqueued: int
    requeued: int = Field(description="jobs that a person retried")
    succeeded: int
    failed: int
    canceled: int
    dead_letter: int
    retried: int = Field(description="attempts after which another one follows")
    depth: int = Field(description="the most waiting jobs in a sample")
    latency_seconds: Spread = Field(description="seconds from queued to started")
    duration_seconds: Spread = Field(description="seconds from started to finished")


class ChartAnswer(ResponseModel):
    """Steps of equal length, oldest first; the last one is incomplete."""

    window: Window
    step_seconds: float
    until: datetime
    items: list[StepAnswer]


class BusyAnswer(ResponseModel):
    """A definition that ran in the window."""

    definition: str
    kind: str
    attempts: int
    failed: int = Field(description="failed attempts, whatever the final status of the job")
    duration_seconds: Spread
    steps: list[int] = Field(description="attempts in each of twenty equal parts of the window, oldest first")


class BusiestAnswer(ResponseModel):
    """The definitions with the most attempts, most first."""

    window: Window
    items: list[BusyAnswer]


class UsualAnswer(ResponseModel):
    """The usual duration of a definition's attempts."""

    definition: str
    p50: float
    p95: float


class UsualsAnswer(ResponseModel):
    """Usual durations of all definitions that ran in the last seven days."""

    items: list[UsualAnswer]


class BusiestQuery(RequestModel):
    """The window, and the number of definitions."""

    window: Window = "1h"
    limit: int = Field(default=8, ge=1, le=100)


class ChartQuery(RequestModel):
    """The window and the filters."""

    window: Window = "1h"
    definition: Name | None = Field(default=None, description="only this definition; all when absent")


class TenantRunsAnswer(ResponseModel):
    """Attempts of a tenant that ended in the last hour."""

    tenant: str
    runs: int


class QueueChartAnswer(ResponseModel):
    """A queue's last hour."""

    queue: str
    depth: list[int] = Field(description="the most waiting jobs in 20 steps of 3 minutes, oldest first")
    shares: list[TenantRunsAnswer] = Field(description="tenants whose jobs ran, the most active first")


class QueueChartsAnswer(ResponseModel):
    """The last hour of the active queues."""

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
    """Show how many jobs came in and ended, and how long jobs waited and ran."""
    chart = await service.charts.throughput(query.window, definition=query.definition)
    return ChartAnswer(
        window=query.window,
        step_seconds=chart.step.total_seconds(),
        until=chart.until,
        items=[_step(step) for step in chart.steps],
    )


@router.get("/busiest")
async def chart_busiest(service: CurrentService, query: Annotated[BusiestQuery, Query()]) -> BusiestAnswer:
    """List the definitions with the most attempts."""
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
    """Show the usual duration of attempts by definition: the median (p50) and the 95th percentile (p95)."""
    usual = await service.charts.usual()
    items = [
        UsualAnswer(definition=key, p50=p50, p95=p95)
        for key, durations in usual.items()
        if (p50 := durations.percentile(0.5)) is not None and (p95 := durations.percentile(0.95)) is not None
    ]
    return UsualsAnswer(items=items)


@router.get("/queues")
async def chart_queues(service: CurrentService) -> QueueChartsAnswer:
    """Show the depth of each queue in the last hour, and the tenants whose jobs ran."""
    return QueueChartsAnswer(items=[QueueChartAnswer.model_validate(one) for one in await service.queues.history()])
