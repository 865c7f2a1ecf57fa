"""The settings that every alert rule has: whom the rule notifies, how often and when not."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from headrace.model.settings.setting import STORABLE, SettingsModel, SettingsRule, setting

DAY = 86_400
NOTIFIES, TIMING, QUIET = "Notifies", "Timing", "Quiet hours"
CLOCK = "^([01][0-9]|2[0-3]):[0-5][0-9]$"
CLOCK_WORDS = "a time of day like 22:00"


class AlertRuleSettings(SettingsModel):
    """What a person says of any rule."""

    rules = (
        SettingsRule(
            "escalation_has_both",
            "escalate_to",
            "escalate_after and escalate_to need each other",
            lambda of: (of.escalate_after is None) == (of.escalate_to is None),
        ),
        SettingsRule(
            "escalation_is_to_another",
            "escalate_to",
            "escalate_to must be another target than those in targets",
            lambda of: of.escalate_to is None or of.escalate_to not in of.targets,
        ),
        SettingsRule(
            "escalation_follows_repeats",
            "escalate_after",
            "escalate_after counts repeats and needs repeat_seconds",
            lambda of: of.escalate_after is None or of.repeat_seconds is not None,
        ),
        SettingsRule(
            "quiet_hours_have_two_ends",
            "quiet_until",
            "quiet_from and quiet_until need each other",
            lambda of: (of.quiet_from is None) == (of.quiet_until is None),
        ),
        SettingsRule(
            "quiet_hours_have_a_length",
            "quiet_until",
            "quiet_from and quiet_until must differ",
            lambda of: of.quiet_from is None or of.quiet_from != of.quiet_until,
        ),
    )

    targets: tuple[Annotated[UUID, Field(strict=False)], ...] = setting(
        (),
        strict=False,
        fail_fast=True,
        max_length=10,
        group=NOTIFIES,
        label="Notifies",
        allowed="at most 10 ids of targets of the same tenant",
        help="The targets that get a notice of each alert.",
    )
    repeat_seconds: float | None = setting(
        None,
        ge=1,
        le=30 * DAY,
        group=NOTIFIES,
        label="Repeat every",
        none="notified once",
        help="How often the notice of an open alert is repeated.",
    )
    escalate_to: UUID | None = setting(
        None,
        strict=False,
        group=NOTIFIES,
        label="Escalates to",
        none="nobody",
        allowed="the id of a target of the same tenant",
        help="The second target, for an alert that nobody acknowledges.",
    )
    escalate_after: int | None = setting(
        None,
        ge=1,
        le=1000,
        group=NOTIFIES,
        label="Escalate after repeat",
        none="never",
        needs="escalate_to",
        help="The repeat with which the second target gets notices too.",
    )
    group_seconds: float = setting(
        30.0,
        ge=0,
        le=DAY,
        group=TIMING,
        label="Group for",
        help="After a notice new alerts wait for this time and share one notice.",
    )
    recover_after_seconds: float | None = setting(
        None,
        ge=0,
        le=DAY,
        group=TIMING,
        label="Recover after",
        none="as the kind of the rule has it",
        help="An alert closes when its condition has not held for this time.",
    )
    quiet_from: str | None = setting(
        None,
        pattern=CLOCK,
        group=QUIET,
        label="Quiet from",
        none="never quiet",
        allowed=CLOCK_WORDS,
        help="The start of the quiet hours, in which no notice is sent; open alerts notify at the end.",
    )
    quiet_until: str | None = setting(
        None,
        pattern=CLOCK,
        group=QUIET,
        label="Quiet until",
        none="never quiet",
        allowed=CLOCK_WORDS,
        help="The end of the quiet hours.",
    )
    timezone: str = setting(
        "UTC",
        pattern=STORABLE,
        max_length=100,
        group=QUIET,
        label="Time zone",
        allowed="a time zone like Europe/Berlin",
        help="The time zone of the quiet hours.",
    )
