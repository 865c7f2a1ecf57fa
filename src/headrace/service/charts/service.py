"""Charts: what happened over a while, from rollups."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.model.histogram import Histogram
from headrace.rollups.read import HOUR, Busy, Step, busiest, series, usual_of_all
from headrace.service.base import TenantService

SQL = statements(__file__)
Window = Literal["1h", "6h", "24h", "7d", "30d"]

# How far back, and in which steps. From a day on they are hours, which have rollups of their own: far fewer rows.
WINDOWS: dict[Window, tuple[timedelta, timedelta]] = {
    "1h": (timedelta(hours=1), timedelta(minutes=1)),
    "6h": (timedelta(hours=6), timedelta(minutes=5)),
    "24h": (timedelta(hours=24), timedelta(hours=1)),
    "7d": (timedelta(days=7), timedelta(hours=2)),
    "30d": (timedelta(days=30), timedelta(hours=8)),
}


# Enough for a line as long as a word.
SPARK_STEPS = 20


class Chart(NamedTuple):
    """Steps of equal length, oldest first; the last is not over yet."""

    step: timedelta
    until: datetime
    steps: list[Step]


class Charts(TenantService):
    """What happened over a while."""

    async def busiest(self, window: Window = "1h", *, limit: int = 8, tenant: str | None = None) -> list[Busy]:
        """The definitions with the most runs, each with how its runs were spread over the window."""
        back, step = WINDOWS[window]
        async with self._begin("charts.read", tenant) as scope:
            now = await scope.now()
            return await busiest(
                scope.conn,
                tenant_id=scope.tenant_id,
                since=now - back,
                until=now,
                hourly=step >= HOUR,
                limit=limit,
                steps=SPARK_STEPS,
            )

    async def usual(self, *, tenant: str | None = None) -> dict[str, Histogram]:
        """How long runs took in the last seven days, by definition."""
        async with self._begin("charts.read", tenant) as scope:
            return await usual_of_all(scope.conn, tenant_id=scope.tenant_id)

    async def throughput(
        self, window: Window = "1h", *, definition: str | None = None, tenant: str | None = None
    ) -> Chart:
        """How many jobs came in and ended in each step, how long they waited and ran."""
        back, step = WINDOWS[window]
        async with self._begin("charts.read", tenant) as scope:
            definition_id = None
            if definition is not None:
                with translated_errors():
                    definition_id = await scope.conn.fetchval(SQL["find_definition"], definition)
            now = await scope.now()
            # The first step is a whole one: it begins within the window.
            steps = await series(
                scope.conn,
                tenant_id=scope.tenant_id,
                definition_id=definition_id,
                since=now - back + step,
                until=now,
                step=step,
            )
        return Chart(step, now, steps)
