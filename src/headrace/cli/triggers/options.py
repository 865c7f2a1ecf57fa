"""What may be said of a trigger: options by the names people use, settings by the names of the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from headrace.cli.core.durations import duration, moment
from headrace.cli.core.payload import json_object
from headrace.errors import BadRequest

CATCH_UP = ("none", "latest", "all")
OVERLAP = ("allow", "skip", "queue_one", "cancel_running")


def _option(kind: Any, name: str, help: str, **how: Any) -> Any:  # noqa: A002 - as typer calls it
    return Annotated[kind | None, typer.Option(name, help=help, **how)]


TIME_RULE: dict[str, Any] = {
    "cron": _option(str, "--cron", "Five fields, such as '0 2 * * *', or @daily."),
    "every": _option(str, "--every", "A length of time, such as 15m."),
    "timezone": _option(str, "--timezone", "Where the clock of --cron hangs, such as Europe/Berlin; UTC if absent."),
    "starts_at": _option(str, "--starts-at", "Not before this time."),
    "ends_at": _option(str, "--ends-at", "Not at this time or after."),
}
OTHER_RULES: dict[str, Any] = {
    "event": _option(str, "--event", "Fires on this event; its last word may be *."),
    "condition": _option(str, "--condition", "And only if this holds, such as 'event.size > `100`'."),
    "init": _option(str, "--init", "Fires once for each version named here."),
}
SETTINGS: dict[str, Any] = {
    "payload": _option(
        str, "--payload", "The payload as JSON, with {{event.name}} and the like where needed.", metavar="JSON"
    ),
    "queue": _option(str, "--queue", "Another queue than the definition's."),
    "priority": _option(int, "--priority", "Of its jobs: lower runs sooner.", min=0, max=1000),
    "max_attempts": _option(int, "--max-attempts", "Of its jobs: runs at most.", min=1, max=1000),
    "overlap": _option(str, "--overlap", f"While a job of it is live: {', '.join(OVERLAP)}."),
    "catch_up": _option(str, "--catch-up", f"Of due times that were missed: {', '.join(CATCH_UP)}."),
    "catch_up_cap": _option(int, "--catch-up-cap", "The most to catch up on.", min=1, max=1000),
    "misfire_grace": _option(str, "--misfire-grace", "Later than this a due time counts as missed, such as 1m."),
    "jitter": _option(str, "--jitter", "Up to so much later, at random, such as 30s."),
    "dedupe_window": _option(str, "--dedupe-window", "The same payload only once in this time."),
    "max_fires": _option(int, "--max-fires", "After so many it is over.", min=1),
    "pause_on_failures": _option(int, "--pause-on-failures", "Off after so many in a row.", min=1, max=100),
}
NAMES = {
    "every": "every_seconds",
    "init": "init_version",
    "misfire_grace": "misfire_grace_seconds",
    "jitter": "jitter_seconds",
    "dedupe_window": "dedupe_window_seconds",
}
LENGTHS, MOMENTS = ("every", "misfire_grace", "jitter", "dedupe_window"), ("starts_at", "ends_at")
# What `update --unset` can take away.
UNSETTABLE = {
    name: NAMES.get(name, name)
    for name in (
        "starts_at",
        "ends_at",
        "condition",
        "queue",
        "priority",
        "max_attempts",
        "dedupe_window",
        "max_fires",
        "pause_on_failures",
    )
}


def settings_sent(said: Mapping[str, Any]) -> dict[str, Any]:
    """As the API has them, or `BadRequest` before anything is sent."""
    sent = dict(said)
    for name in LENGTHS:
        if name in sent:
            sent[name] = duration(sent[name], _flag(name))
    for name in MOMENTS:
        if name in sent:
            sent[name] = moment(sent[name], _flag(name))
    if "payload" in sent:
        sent["payload"] = json_object(sent["payload"], "--payload")
    check_rule(sent)
    for name, allowed in (("overlap", OVERLAP), ("catch_up", CATCH_UP)):
        if name in sent and sent[name] not in allowed:
            raise BadRequest(f"{_flag(name)} is one of {', '.join(allowed)}, not {sent[name]!r}")
    return {NAMES.get(name, name): value for name, value in sent.items()} | _rule(sent)


def check_rule(said: Mapping[str, Any]) -> None:
    """One rule, and one that is valid: told here, in the words that the server would have."""
    rules = [_flag(name) for name in ("cron", "every", "event", "init") if name in said]
    if len(rules) > 1:
        raise BadRequest(f"a trigger has one rule: give {rules[0]} or {rules[1]}, not both")
    if "cron" in said:
        from headrace.model.time.cron import CronRule

        CronRule.parse(said["cron"])
    if "timezone" in said:
        from headrace.model.time.zone import zone

        zone(said["timezone"])
    if "event" not in said and "condition" in said and rules:
        raise BadRequest("--condition is for --event")


def unset(names: list[str]) -> dict[str, None]:
    """Settings to take away, or `BadRequest`."""
    for name in names:
        if name.replace("-", "_") not in UNSETTABLE:
            known = ", ".join(known.replace("_", "-") for known in UNSETTABLE)
            raise BadRequest(f"--unset is one of {known}, not {name!r}")
    return {UNSETTABLE[name.replace("-", "_")]: None for name in names}


def _rule(said: Mapping[str, Any]) -> dict[str, Any]:
    """The type that goes with a rule. A new rule takes the place of the old one."""
    if "cron" in said:
        return {"trigger_type": "schedule", "every_seconds": None}
    if "every" in said:
        return {"trigger_type": "schedule", "cron": None}
    if "event" in said:
        return {"trigger_type": "event"}
    return {"trigger_type": "init"} if "init" in said else {}


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
