"""The settings of a trigger: when it fires, what it enqueues, and what becomes of what is late or fails."""

from __future__ import annotations

from typing import Any, ClassVar

from headrace.model.settings.setting import (
    MOST_INT,
    NOT_THE_SYSTEM_QUEUE,
    QUEUE,
    QUEUE_NAMES,
    STORABLE,
    YEAR,
    SettingsModel,
    SettingsRule,
    setting,
)
from headrace.model.time.timestamps import Moment
from headrace.model.trigger.catch_up import CatchUp
from headrace.model.trigger.overlap import Overlap
from headrace.model.trigger.rule import TriggerType

FIRES, JOBS, TROUBLE = "When it fires", "What it enqueues", "What is late or fails"
EVENT = r"^(\*|[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(\.\*)?)$"
SCHEDULE, TIMES, ONE_EVENT = ("schedule",), ("schedule", "init"), ("event",)
# These say together when a trigger fires, so they are changed together.
RULE_COLUMNS = ("trigger_type", "cron", "every_seconds", "init_version", "event")


class DeclaredTriggerSettings(SettingsModel):
    """What code declares and an operator may change."""

    rules: ClassVar[tuple[SettingsRule, ...]] = (
        SettingsRule(
            "a_schedule_has_one_rule",
            "cron",
            "A trigger of type schedule has either cron or every_seconds, and no other trigger has one of them.",
            lambda of: (
                (of.trigger_type == "schedule") == ((of.cron is None) != (of.every_seconds is None))
                and None in (of.cron, of.every_seconds)
            ),
        ),
        SettingsRule(
            "an_event_has_a_name",
            "event",
            "A trigger of type event has an event, and no other trigger has one.",
            lambda of: (of.trigger_type == "event") == (of.event is not None),
        ),
        SettingsRule(
            "only_events_have_a_condition",
            "condition",
            "Only an event trigger has a condition.",
            lambda of: of.trigger_type == "event" or of.condition is None,
        ),
        SettingsRule(
            "jitter_is_shorter_than_the_interval",
            "jitter_seconds",
            "jitter_seconds must be less than every_seconds.",
            lambda of: of.every_seconds is None or of.jitter_seconds < of.every_seconds,
        ),
    )

    trigger_type: TriggerType = setting(
        "schedule", group=FIRES, label="Type", help="A schedule fires at its times, init once for each version."
    )
    cron: str | None = setting(
        None,
        pattern=STORABLE,
        group=FIRES,
        label="Cron",
        none="none",
        allowed="a cron rule of five fields, for example 0 2 * * *, or @daily",
        types=SCHEDULE,
        help="The times at which a schedule fires, for example 0 2 * * * or @daily.",
    )
    every_seconds: float | None = setting(
        None,
        ge=0.1,
        le=100 * 366 * 86_400,
        group=FIRES,
        label="Every",
        none="none",
        types=SCHEDULE,
        help="The time between two fires of a schedule, counted from starts_at.",
    )
    event: str | None = setting(
        None,
        pattern=EVENT,
        max_length=200,
        group=FIRES,
        label="Event",
        none="none",
        allowed="words of A-Z a-z 0-9 _ - with dots between them; the last word may be *",
        types=ONE_EVENT,
        help="The name of the events on which the trigger fires; the last word may be *.",
    )
    init_version: str = setting(
        "",
        pattern=STORABLE,
        group=FIRES,
        label="Version",
        allowed="text without NUL",
        types=("init",),
        help="An init trigger fires once for each version.",
    )
    condition: str | None = setting(
        None,
        pattern=STORABLE,
        group=FIRES,
        label="Condition",
        none="every event of this name",
        allowed="a JMESPath expression",
        types=ONE_EVENT,
        help="The trigger fires only on events that meet this condition, for example event.size > `100`.",
    )
    timezone: str = setting(
        "UTC",
        pattern=STORABLE,
        group=FIRES,
        label="Time zone",
        allowed="an IANA name like Europe/Berlin",
        types=SCHEDULE,
        help="The time zone of cron, for example Europe/Berlin.",
    )
    payload: dict[str, Any] = setting(
        {}, group=JOBS, label="Payload", help="The payload of the jobs, with placeholders like {{event.path}}."
    )
    catch_up: CatchUp = setting(
        "latest", group=TROUBLE, label="Catch-up", types=SCHEDULE, help="Which missed due times fire."
    )
    misfire_grace_seconds: float = setting(
        60.0,
        ge=0,
        le=YEAR,
        group=TROUBLE,
        label="Misfire grace",
        types=SCHEDULE,
        help="A due time that is later than this counts as missed.",
    )
    overlap: Overlap = setting(
        "allow", group=TROUBLE, label="Overlap", types=TIMES, help="What a due time does while an earlier job is live."
    )
    jitter_seconds: float = setting(
        0.0,
        ge=0,
        le=86_400,
        group=TROUBLE,
        label="Jitter",
        types=TIMES,
        help="Each job is delayed by a random part of this time.",
    )
    dedupe_window_seconds: float | None = setting(
        None,
        gt=0,
        le=YEAR,
        group=TROUBLE,
        label="Dedupe window",
        none="no matter how often",
        help="The same payload makes one job within this time.",
    )
    pause_on_failures: int | None = setting(
        None,
        ge=1,
        le=100,
        group=TROUBLE,
        label="Pause after failures",
        none="never",
        types=SCHEDULE,
        help="This number of failed jobs in a row turns the trigger off.",
    )


class TriggerSettings(DeclaredTriggerSettings):
    """All of them: also what code has no word for."""

    rules = (
        *DeclaredTriggerSettings.rules,
        SettingsRule(
            "an_event_knows_no_time",
            "trigger_type",
            "An event trigger has no max_fires, starts_at, ends_at, pause_on_failures, overlap or jitter_seconds.",
            lambda of: of.trigger_type != "event" or _has_no_times(of),
        ),
        SettingsRule(
            "a_window_ends_after_it_starts",
            "ends_at",
            "A window must end after it starts.",
            lambda of: None in (of.starts_at, of.ends_at) or of.starts_at < of.ends_at,
        ),
        NOT_THE_SYSTEM_QUEUE,
    )

    starts_at: Moment | None = setting(
        None,
        strict=False,
        group=FIRES,
        label="Not before",
        none="at once",
        types=SCHEDULE,
        help="The trigger does not fire before this time.",
    )
    ends_at: Moment | None = setting(
        None,
        strict=False,
        group=FIRES,
        label="Ends at",
        none="never",
        types=SCHEDULE,
        help="The trigger does not fire at this time or later.",
    )
    max_fires: int | None = setting(
        None,
        ge=1,
        le=MOST_INT,
        group=FIRES,
        label="At most",
        none="no limit",
        types=SCHEDULE,
        help="The most jobs by the rule.",
    )
    queue: str | None = setting(
        None,
        pattern=QUEUE,
        group=JOBS,
        label="Queue",
        none="the definition's",
        allowed=QUEUE_NAMES,
        help="The queue in which the jobs wait.",
    )
    priority: int | None = setting(
        None,
        ge=0,
        le=1000,
        group=JOBS,
        label="Priority",
        none="the definition's",
        help="Jobs with a lower number run first.",
    )
    max_attempts: int | None = setting(
        None,
        ge=1,
        le=1000,
        group=JOBS,
        label="Attempts",
        none="the definition's",
        help="The most attempts of a job.",
    )
    catch_up_cap: int = setting(
        100,
        ge=1,
        le=1000,
        group=TROUBLE,
        label="Catch-up cap",
        types=SCHEDULE,
        help="The most missed due times that fire with catch_up all.",
    )


def _has_no_times(settings: Any) -> bool:
    times = (settings.max_fires, settings.starts_at, settings.ends_at, settings.pause_on_failures)
    return settings.overlap == "allow" and settings.jitter_seconds == 0 and times == (None,) * len(times)
