"""Many triggers at a glance: how each has been doing, and what all of them will do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from headrace.errors import BadRequest
from headrace.model.time.preview import Preview
from headrace.model.trigger.record import Trigger
from headrace.service.base import TenantService
from headrace.service.paging import check_limit, read_cursor, write_cursor
from headrace.service.triggers.forecast import forecast_trigger, spread_between
from headrace.service.triggers.shown import without_secrets
from headrace.triggers.read import ALL, TriggerFilter, page_triggers
from headrace.triggers.recent import RecentRun, recent_runs

RUNS = AHEAD = 10
LONGEST = timedelta(days=31)
# Of one trigger: each hour of a week. A line of marks that is denser is a bar anyway.
MOST_TIMES = 168
MOST_TRIGGERS = 200


class TriggerSummary(NamedTuple):
    """A trigger, its rule in words, the next change of clocks that it meets, and its last runs, newest first."""

    trigger: Trigger
    words: str | None
    clock_change: Preview | None
    runs: Sequence[RecentRun]


class TriggerSummaryPage(NamedTuple):
    """Triggers by name."""

    items: Sequence[TriggerSummary]
    next_cursor: str | None


class CalendarEntry(NamedTuple):
    """When a trigger will be due; with a rhythm, these are only some of the times."""

    trigger: Trigger
    times: Sequence[datetime]
    rhythm: timedelta | None


class Calendar(NamedTuple):
    """What will be due, by trigger; `more` when there are triggers beyond these."""

    items: Sequence[CalendarEntry]
    more: bool


class TriggerOverview(TenantService):
    """Of many triggers at once."""

    async def overview(
        self, wanted: TriggerFilter = ALL, *, limit: int = 50, cursor: str | None = None, tenant: str | None = None
    ) -> TriggerSummaryPage:
        """Those that fit, by name, each with how it has been doing."""
        check_limit(limit)
        begin = None if cursor is None else read_cursor(cursor, str, UUID)
        async with self._begin("triggers.read", tenant) as scope:
            after = None if begin is None else (begin[0], begin[1])
            read = await page_triggers(scope.conn, wanted, tenant_id=scope.tenant_id, after=after, limit=limit)
            shown = await without_secrets(scope, read.items)
            now = await scope.now()
            runs = await recent_runs(scope.conn, [one.id for one in shown], RUNS)
        # Times to come are worked out rule by rule: not on the loop, where others would wait.
        items = await asyncio.to_thread(lambda: [_summary(one, runs[one.id], now) for one in shown])
        return TriggerSummaryPage(items, write_cursor(shown[-1].name, shown[-1].id) if read.more else None)

    async def calendar(self, first: datetime, until: datetime, *, tenant: str | None = None) -> Calendar:
        """What enabled schedules will do from one time to another."""
        if not timedelta(0) < until - first <= LONGEST:
            raise BadRequest(f"A calendar spans up to {LONGEST.days} days, forwards.", field="until")
        wanted = TriggerFilter(trigger_type="schedule", enabled=True)
        async with self._begin("triggers.read", tenant) as scope:
            read = await page_triggers(scope.conn, wanted, tenant_id=scope.tenant_id, after=None, limit=MOST_TRIGGERS)
            shown = await without_secrets(scope, read.items)
        items = await asyncio.to_thread(lambda: [_due(one, first, until) for one in shown])
        return Calendar(items, read.more)


def _summary(trigger: Trigger, runs: Sequence[RecentRun], now: datetime) -> TriggerSummary:
    if trigger.settings["trigger_type"] != "schedule":
        return TriggerSummary(trigger, None, None, runs)
    try:
        ahead = forecast_trigger(trigger, AHEAD, now)
    except BadRequest:
        # Written with SQL and refused by the scheduler, which has said so in last_error.
        return TriggerSummary(trigger, None, None, runs)
    return TriggerSummary(trigger, ahead.words, next((time for time in ahead.times if time.note), None), runs)


def _due(trigger: Trigger, first: datetime, until: datetime) -> CalendarEntry:
    begin = max(first, trigger.next_run_at or first)
    try:
        return CalendarEntry(trigger, *spread_between(trigger, begin, until, MOST_TIMES))
    except BadRequest:
        return CalendarEntry(trigger, [], None)
