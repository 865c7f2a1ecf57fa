"""Settings as keyword arguments, for type checkers and editors. `make docs` writes this from the models."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict
from uuid import UUID

from headrace.model.job.retry import RetryPolicy


class DefinitionOptions(TypedDict, total=False):
    """What code declares of how a job runs."""

    queue: str
    """The queue in which the jobs wait."""
    priority: int
    """Jobs with a lower number run first."""
    max_attempts: int
    """The most attempts of a job; by default of code one more than jobs.max_retries_default."""
    timeout: float | timedelta | None
    """How long an attempt may take."""
    retry_base: float | timedelta
    """The wait before the second attempt; each later wait is twice as long."""
    retry_cap: float | timedelta
    """The longest wait between attempts, without the spread."""
    retry_jitter: float | timedelta
    """Each wait is longer by a random part of this."""
    tenants: Iterable[str] | None
    """The tenants that may run this definition."""
    max_concurrency: int | None
    """How many jobs run at once, over all workers."""
    concurrency_key: str | None
    """The part of the payload by which jobs of a tenant are counted, for example provider.id."""
    max_concurrency_per_key: int | None
    """How many jobs with the same key run at once."""
    rate_limit: str | int | None
    """How many jobs start in each period."""
    rate_period: float | timedelta
    """The period of the rate limit."""
    rate_burst: int | None
    """How many jobs may start at once after a time without starts."""
    rate_per_key: bool
    """Whether each key has a rate of its own."""
    retention_days: float | None
    """The days for which ended jobs stay."""
    retention_count: int | None
    """How many of the last ended jobs always stay."""
    description: str
    """What the job does, for people."""
    tags: Iterable[str]
    """Words by which people sort definitions."""
    retry: RetryPolicy
    """The three waits between attempts at once."""


class DefinitionColumns(TypedDict, total=False):
    """The settings of a definition by their columns."""

    queue: str
    """The queue in which the jobs wait."""
    priority: int
    """Jobs with a lower number run first."""
    max_attempts: int
    """The most attempts of a job; by default of code one more than jobs.max_retries_default."""
    timeout_seconds: float | None
    """How long an attempt may take."""
    retry_base_seconds: float
    """The wait before the second attempt; each later wait is twice as long."""
    retry_cap_seconds: float
    """The longest wait between attempts, without the spread."""
    retry_jitter_seconds: float
    """Each wait is longer by a random part of this."""
    tenants: Iterable[str] | None
    """The tenants that may run this definition."""
    max_concurrency: int | None
    """How many jobs run at once, over all workers."""
    concurrency_key: str | None
    """The part of the payload by which jobs of a tenant are counted, for example provider.id."""
    max_concurrency_per_key: int | None
    """How many jobs with the same key run at once."""
    rate_limit: int | None
    """How many jobs start in each period."""
    rate_period_seconds: float
    """The period of the rate limit."""
    rate_burst: int | None
    """How many jobs may start at once after a time without starts."""
    rate_per_key: bool
    """Whether each key has a rate of its own."""
    retention_days: float | None
    """The days for which ended jobs stay."""
    retention_count: int | None
    """How many of the last ended jobs always stay."""


class DefinitionChanges(DefinitionColumns, total=False):
    """What an operator changes of a definition."""

    enabled: bool
    """Whether new jobs are accepted and waiting jobs run."""


class TriggerOptions(TypedDict, total=False):
    """What code declares of when a job fires."""

    cron: str | None
    """The times at which a schedule fires, for example 0 2 * * * or @daily."""
    every: float | timedelta | None
    """The time between two fires of a schedule, counted from starts_at."""
    event: str | None
    """The name of the events on which the trigger fires; the last word may be *."""
    init: bool | str | None
    """Fires once; with a text, once for each version."""
    condition: str | None
    """The trigger fires only on events that meet this condition, for example event.size > `100`."""
    timezone: str
    """The time zone of cron, for example Europe/Berlin."""
    payload: dict[str, Any]
    """The payload of the jobs, with placeholders like {{event.path}}."""
    catch_up: Literal["none", "latest", "all"]
    """Which missed due times fire."""
    misfire_grace: float | timedelta
    """A due time that is later than this counts as missed."""
    overlap: Literal["allow", "skip", "queue_one", "cancel_running"]
    """What a due time does while an earlier job is live."""
    jitter: float | timedelta
    """Each job is delayed by a random part of this time."""
    dedupe_window: float | timedelta | None
    """The same payload makes one job within this time."""
    pause_on_failures: int | None
    """This number of failed jobs in a row turns the trigger off."""


class TriggerColumns(TypedDict, total=False):
    """The settings of a trigger by their columns."""

    trigger_type: Literal["schedule", "init", "event"]
    """A schedule fires at its times, init once for each version."""
    cron: str | None
    """The times at which a schedule fires, for example 0 2 * * * or @daily."""
    every_seconds: float | None
    """The time between two fires of a schedule, counted from starts_at."""
    event: str | None
    """The name of the events on which the trigger fires; the last word may be *."""
    init_version: str
    """An init trigger fires once for each version."""
    condition: str | None
    """The trigger fires only on events that meet this condition, for example event.size > `100`."""
    timezone: str
    """The time zone of cron, for example Europe/Berlin."""
    payload: dict[str, Any]
    """The payload of the jobs, with placeholders like {{event.path}}."""
    catch_up: Literal["none", "latest", "all"]
    """Which missed due times fire."""
    misfire_grace_seconds: float
    """A due time that is later than this counts as missed."""
    overlap: Literal["allow", "skip", "queue_one", "cancel_running"]
    """What a due time does while an earlier job is live."""
    jitter_seconds: float
    """Each job is delayed by a random part of this time."""
    dedupe_window_seconds: float | None
    """The same payload makes one job within this time."""
    pause_on_failures: int | None
    """This number of failed jobs in a row turns the trigger off."""
    starts_at: datetime | None
    """The trigger does not fire before this time."""
    ends_at: datetime | None
    """The trigger does not fire at this time or later."""
    max_fires: int | None
    """The most jobs by the rule."""
    queue: str | None
    """The queue in which the jobs wait."""
    priority: int | None
    """Jobs with a lower number run first."""
    max_attempts: int | None
    """The most attempts of a job."""
    catch_up_cap: int
    """The most missed due times that fire with catch_up all."""


class AlertRuleColumns(TypedDict, total=False):
    """The settings of an alert rule by their columns."""

    targets: Iterable[UUID]
    """The targets that get a notice of each alert."""
    repeat_seconds: float | None
    """How often the notice of an open alert is repeated."""
    escalate_to: UUID | None
    """The second target, for an alert that nobody acknowledges."""
    escalate_after: int | None
    """The repeat with which the second target gets notices too."""
    group_seconds: float
    """After a notice new alerts wait for this time and share one notice."""
    recover_after_seconds: float | None
    """An alert closes when its condition has not held for this time."""
    quiet_from: str | None
    """The start of the quiet hours, in which no notice is sent; open alerts notify at the end."""
    quiet_until: str | None
    """The end of the quiet hours."""
    timezone: str
    """The time zone of the quiet hours."""
