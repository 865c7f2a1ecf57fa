"""`/charts`: what happened over a while."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from headrace.api.schemas import Answer, Name, Request_
from headrace.api.who import Asked
from headrace.model.histogram import Histogram
from headrace.rollups.read import Step
from headrace.service.charts import Window

router = APIRouter(prefix="/charts", tags=["charts"])


class Spread(Answer):
    """Of seconds: how many values there were, their mean, and below what half and nineteen of twenty lie."""

    count: int
    mean: float | None
    p50: float | None
    p95: float | None


class StepAnswer(Answer):
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


class ChartAnswer(Answer):
    """Steps of equal length, oldest first; the last is not over yet."""

    window: Window
    step_seconds: float
    until: datetime
    items: list[StepAnswer]


class ChartQuery(Request_):
    """What to draw."""

    window: Window = "1h"
    definition: Name | None = Field(default=None, description="of one definition; of all when absent")


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
async def chart_throughput(service: Asked, query: Annotated[ChartQuery, Query()]) -> ChartAnswer:
    """How many jobs came in and ended, how long they waited and ran."""
    chart = await service.charts.throughput(query.window, definition=query.definition)
    return ChartAnswer(
        window=query.window,
        step_seconds=chart.step.total_seconds(),
        until=chart.until,
        items=[_step(step) for step in chart.steps],
    )
