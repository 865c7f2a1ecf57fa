"""A trigger's rule, checked: when it is due, and what payload it then makes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from headrace.errors import BadRequest
from headrace.model.field_context import field_context
from headrace.model.template.budget import Budget
from headrace.model.template.template import Condition, Template
from headrace.model.time.cron import CronRule
from headrace.model.time.schedule import Cron, Every, Schedule
from headrace.model.time.zone import zone
from headrace.model.trigger.catch_up import CatchUp
from headrace.model.trigger.overlap import Overlap

TriggerType = Literal["schedule", "init", "event"]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """What a trigger does and when. `schedule` is there for schedules alone, `condition` for events."""

    name: str
    trigger_type: TriggerType
    schedule: Schedule | None
    payload: Payload
    condition: Condition | None = None
    init_version: str = ""
    catch_up: CatchUp = "latest"
    catch_up_cap: int = 100
    misfire_grace: timedelta = timedelta(seconds=60)
    overlap: Overlap = "allow"
    jitter: timedelta = timedelta(0)
    max_fires: int | None = None
    dedupe_window: timedelta | None = None
    pause_on_failures: int | None = None
    definition_id: int = 0
    queue: str | None = None
    priority: int | None = None
    max_attempts: int | None = None

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Rule:
        """The rule that a row of the trigger table says, or `BadRequest` with what is wrong with it."""
        window = row["dedupe_window_seconds"]
        schedule = schedule_of(row) if row["trigger_type"] == "schedule" else None
        with field_context("payload"):
            payload = Payload(row["payload"])
        with field_context("condition"):
            condition = None if row["condition"] is None else Condition.read(row["condition"])
        return cls(
            name=row["name"],
            trigger_type=row["trigger_type"],
            schedule=schedule,
            payload=payload,
            condition=condition,
            init_version=row["init_version"],
            catch_up=row["catch_up"],
            catch_up_cap=row["catch_up_cap"],
            misfire_grace=timedelta(seconds=row["misfire_grace_seconds"]),
            overlap=row["overlap"],
            jitter=timedelta(seconds=row["jitter_seconds"]),
            max_fires=row["max_fires"],
            dedupe_window=None if window is None else timedelta(seconds=window),
            pause_on_failures=row["pause_on_failures"],
            definition_id=row["definition_id"],
            queue=row["queue"],
            priority=row["priority"],
            max_attempts=row["max_attempts"],
        )


class Payload:
    """A payload template; one without placeholders is written out once."""

    def __init__(self, text: str) -> None:
        self.size = len(text)
        self._template = Template.compile(json.loads(text))
        self._constant: tuple[str, dict[str, Any]] | None = None
        if self._template.is_constant:
            self._constant = self._template.render_json({})

    @property
    def is_constant(self) -> bool:
        return self._constant is not None

    def render(self, scope: Mapping[str, Any], budget: Budget | None = None) -> tuple[str, dict[str, Any]]:
        """The payload as JSON text and as it is, or `TemplateError`."""
        return self._template.render_json(scope, budget) if self._constant is None else self._constant


def schedule_of(row: Mapping[str, Any]) -> Schedule:
    """When a schedule is due, or `BadRequest` with what is wrong with it."""
    starts_at, ends_at = _finite(row["starts_at"]), _finite(row["ends_at"])
    # Also for an interval, which does not look at clocks: a wrong name is a mistake anywhere.
    with field_context("timezone"):
        tz = zone(row["timezone"])
    if row["cron"] is not None:
        with field_context("cron"):
            rule = CronRule.parse(row["cron"])
        with field_context("ends_at"):
            return Schedule(Cron(rule, tz), starts_at, ends_at)
    if starts_at is None:
        raise BadRequest("An interval needs a time to start at.", field="starts_at")
    with field_context("ends_at"):
        return Schedule(Every(timedelta(seconds=row["every_seconds"]), starts_at), starts_at, ends_at)


def time_scope(*, name: str, tenant: str, due_at: datetime) -> dict[str, Any]:
    """What the payload of a time trigger may refer to."""
    return {"trigger": {"name": name}, "tenant": tenant, "scheduled_for": due_at.isoformat()}


def _finite(moment: datetime | None) -> datetime | None:
    """None for an open end: asyncpg reads 'infinity' as the first and last instants there are."""
    if moment is None or moment.replace(tzinfo=None) in (datetime.min, datetime.max):
        return None
    return moment
