"""From `@hr.job(…)` to a handler."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from headrace.define.handler import Handler
from headrace.define.signature import BadHandler
from headrace.errors import BadRequest
from headrace.model.definition import Isolation
from headrace.model.payload.schema import payload_check
from headrace.model.settings.options import DefinitionOptions
from headrace.model.settings.trigger import RULE_COLUMNS, TriggerDeclaration, complete_settings
from headrace.model.text import to_json
from headrace.model.trigger.catch_up import CatchUp
from headrace.model.trigger.overlap import Overlap
from headrace.model.trigger.rule import Payload


class JobOptions(DefinitionOptions, total=False):
    """What may be declared of a job; an operator may later change most of it."""

    isolation: Isolation
    cron: str | None
    every: float | timedelta | None
    event: str | None
    init: bool | str | None
    timezone: str
    payload: dict[str, Any]
    condition: str | None
    catch_up: CatchUp
    misfire_grace: float | timedelta
    overlap: Overlap
    jitter: float | timedelta
    dedupe_window: float | timedelta | None
    pause_on_failures: int | None


RULES = ("cron", "every", "event", "init")
TRIGGER_OPTIONS = {
    "timezone": "timezone",
    "payload": "payload",
    "condition": "condition",
    "catch_up": "catch_up",
    "misfire_grace": "misfire_grace_seconds",
    "overlap": "overlap",
    "jitter": "jitter_seconds",
    "dedupe_window": "dedupe_window_seconds",
    "pause_on_failures": "pause_on_failures",
}
FOR_EVENTS = frozenset({"payload", "condition", "dedupe_window_seconds"})
FOR_TIMES = frozenset(TRIGGER_OPTIONS.values()) - {"condition"}


def make_handler(function: Callable[..., Any], key: str | None, options: JobOptions) -> Handler:
    """The function as a handler, with what was declared of it."""
    declared: dict[str, Any] = dict(options)
    if unknown := set(declared) - set(JobOptions.__annotations__):
        known = ", ".join(JobOptions.__annotations__)
        raise TypeError(f"@hr.job has no option {', '.join(sorted(unknown))}; there are {known}")
    key = key or function.__name__
    declared["triggers"] = declare_triggers(key, declared)
    try:
        handler = Handler(function, key=key, **declared)
    except BadRequest as error:
        raise BadHandler(str(error), field=error.field) from None
    for trigger in handler.definition.triggers:
        check_payload(handler, trigger.settings["payload"], f"job {key!r}, trigger {trigger.name!r}")
    return handler


def check_payload(handler: Handler, payload: dict[str, Any], whose: str) -> None:
    """Refuse a payload that every due time would be refused for: one without placeholders, or with a name too many."""
    made = Payload(to_json(payload))
    problem = made.is_constant and payload_check(json.dumps(handler.definition.payload_schema))(made.render({})[1])
    if problem:
        raise BadHandler(f"{whose}: the payload does not fit the function: {problem}. Say payload={{…}} as well.")


def declare_triggers(key: str, declared: dict[str, Any]) -> tuple[TriggerDeclaration, ...]:
    """Takes the options that say when the job fires: one trigger for each rule among them."""
    rules = {name: declared.pop(name) for name in RULES if name in declared}
    how = {TRIGGER_OPTIONS[name]: _plain(declared.pop(name)) for name in TRIGGER_OPTIONS if name in declared}
    rules = {name: rule for name, rule in rules.items() if rule is not None and rule is not False}
    if how and not rules:
        said = ", ".join(name for name, column in TRIGGER_OPTIONS.items() if column in how)
        raise BadHandler(f"job {key!r}: {said} says how a trigger fires; give cron, every, event or init as well")
    _refuse_unused(key, rules, how)
    if "cron" in rules and "every" in rules:
        raise BadHandler(f"job {key!r}: give either cron or every; add the other with hr.register or SQL")
    return tuple(_declare(key, name, rule, how) for name, rule in rules.items())


def _refuse_unused(key: str, rules: dict[str, Any], how: dict[str, Any]) -> None:
    """An option that none of the rules has is a misunderstanding, and not to be passed over."""
    used = (FOR_EVENTS if "event" in rules else frozenset()) | (FOR_TIMES if set(rules) - {"event"} else frozenset())
    unused = [name for name, column in TRIGGER_OPTIONS.items() if column in how and column not in used]
    if rules and unused:
        raise BadHandler(f"job {key!r}: {', '.join(unused)} says nothing to {', '.join(rules)}")


def _declare(key: str, name: str, rule: Any, how: dict[str, Any]) -> TriggerDeclaration:
    """A schedule bears the job's own name, so that people find it by that."""
    match name:
        case "cron":
            called, what = key, {"cron": rule}
        case "every":
            called, what = key, {"every_seconds": _plain(rule)}
        case "init":
            called, what = f"{key}:init", {"trigger_type": "init", "init_version": "" if rule is True else str(rule)}
        case _:
            called, what = f"{key}:event", {"trigger_type": "event", "event": rule}
    fitting = FOR_EVENTS if name == "event" else FOR_TIMES
    try:
        settings = complete_settings(what | {column: value for column, value in how.items() if column in fitting})
    except BadRequest as error:
        raise BadHandler(f"job {key!r}, {name}={rule!r}: {error}") from None
    # What code has no word for is not code's to decide.
    return TriggerDeclaration(called, {column: settings[column] for column in (*RULE_COLUMNS, *sorted(fitting))})


def _plain(value: Any) -> Any:
    return value.total_seconds() if isinstance(value, timedelta) else value
