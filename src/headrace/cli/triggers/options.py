"""The settings of a trigger as options of the command line: each is declared in `model/settings/trigger.py` alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.cli.core.setting_options import flag, read_option, setting_option
from headrace.errors import BadRequest
from headrace.model.settings.setting import settings_of
from headrace.model.settings.trigger import TriggerSettings

# The type follows from the rule, and `--init VERSION` is one of the four rules.
OPTIONS = {
    "init" if one.name == "init_version" else one.option: one
    for one in settings_of(TriggerSettings).values()
    if one.name != "trigger_type"
}
RULES = ("cron", "every", "event", "init")
# What a preview of times needs to know.
TIME_RULE = ("cron", "every", "timezone", "starts_at", "ends_at")

ALL = {name: setting_option(name, setting) for name, setting in OPTIONS.items()}
OF_SCHEDULES = {name: option for name, option in ALL.items() if OPTIONS[name].is_of("schedule")}
OF_PREVIEW = {name: ALL[name] for name in TIME_RULE}
# What `update --unset` can take away. A rule is replaced by another one.
UNSETTABLE = {name: setting.name for name, setting in OPTIONS.items() if setting.none and name not in RULES}


def settings_sent(given: Mapping[str, Any]) -> dict[str, Any]:
    """As the API has them, or `BadRequest` before anything is sent."""
    sent = {name: read_option(name, OPTIONS[name], value) for name, value in given.items()}
    check_rule(sent)
    return {OPTIONS[name].name: value for name, value in sent.items()} | _rule(sent)


def check_rule(given: Mapping[str, Any]) -> None:
    """One rule, and one that is valid: refused here in the words that the server would have."""
    rules = [flag(name) for name in RULES if name in given]
    if len(rules) > 1:
        raise BadRequest(f"a trigger has one rule: give {rules[0]} or {rules[1]}, not both")
    if "cron" in given:
        from headrace.model.time.cron import CronRule

        CronRule.parse(given["cron"])
    if "timezone" in given:
        from headrace.model.time.zone import zone

        zone(given["timezone"])
    if "event" not in given and "condition" in given and rules:
        raise BadRequest("--condition needs --event")


def unset(names: list[str]) -> dict[str, None]:
    """Settings to take away, or `BadRequest`."""
    for name in names:
        if name.replace("-", "_") not in UNSETTABLE:
            known = ", ".join(known.replace("_", "-") for known in UNSETTABLE)
            raise BadRequest(f"--unset is one of {known}, not {name!r}")
    return {UNSETTABLE[name.replace("-", "_")]: None for name in names}


def _rule(given: Mapping[str, Any]) -> dict[str, Any]:
    """The type that goes with a rule. A new rule takes the place of the old one."""
    if "cron" in given:
        return {"trigger_type": "schedule", "every_seconds": None}
    if "every" in given:
        return {"trigger_type": "schedule", "cron": None}
    if "event" in given:
        return {"trigger_type": "event"}
    return {"trigger_type": "init"} if "init" in given else {}
