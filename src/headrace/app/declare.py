"""From `@hr.job(…)` to a handler."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from headrace.define.handler import Handler
from headrace.define.signature import BadHandler
from headrace.errors import BadRequest
from headrace.model.definition import Isolation
from headrace.model.payload.schema import payload_check
from headrace.model.settings.options import DefinitionOptions, TriggerOptions
from headrace.model.settings.setting import settings_of
from headrace.model.settings.trigger import RULE_COLUMNS, DeclaredTriggerSettings
from headrace.model.text import to_json
from headrace.model.trigger.declaration import TriggerDeclaration, complete_settings
from headrace.model.trigger.rule import Payload, TriggerType


class JobOptions(DefinitionOptions, TriggerOptions, total=False):
    """What may be declared of a job; an operator may later change most of it."""

    isolation: Isolation


# The option that says when a trigger fires, and the type that such a trigger has.
RULES: dict[str, TriggerType] = {"cron": "schedule", "every": "schedule", "event": "event", "init": "init"}
OPTIONS = {one.option: one for one in settings_of(DeclaredTriggerSettings).values() if one.name not in RULE_COLUMNS}


def make_handler(function: Callable[..., Any], key: str | None, options: JobOptions) -> Handler:
    """The function as a handler, with what was declared of it."""
    declared: dict[str, Any] = dict(options)
    if unknown := set(declared) - set(JobOptions.__annotations__):
        known = ", ".join(JobOptions.__annotations__)
        raise TypeError(f"@hr.job has no option {', '.join(sorted(unknown))}; known options: {known}")
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
        raise BadHandler(f"{whose}: the payload does not fit the function: {problem}. Give payload={{…}} as well.")


def declare_triggers(key: str, declared: dict[str, Any]) -> tuple[TriggerDeclaration, ...]:
    """Takes the options that say when the job fires: one trigger for each rule among them."""
    rules = {name: declared.pop(name) for name in RULES if name in declared}
    values = {name: declared.pop(name) for name in OPTIONS if name in declared}
    rules = {name: rule for name, rule in rules.items() if rule is not None and rule is not False}
    if values and not rules:
        raise BadHandler(
            f"job {key!r}: {', '.join(values)} says how a trigger fires; give cron, every, event or init as well"
        )
    _refuse_unused(key, rules, values)
    if "cron" in rules and "every" in rules:
        raise BadHandler(f"job {key!r}: give either cron or every; add the other with hr.register or SQL")
    return tuple(_declare(key, name, rule, values) for name, rule in rules.items())


def _refuse_unused(key: str, rules: dict[str, Any], values: dict[str, Any]) -> None:
    """An option that none of the rules has is a misunderstanding, and not to be passed over."""
    types = {RULES[name] for name in rules}
    unused = [name for name in values if not any(OPTIONS[name].is_of(kind) for kind in types)]
    if rules and unused:
        raise BadHandler(f"job {key!r}: {', '.join(unused)} has no effect on {', '.join(rules)}")


def _declare(key: str, name: str, rule: Any, values: dict[str, Any]) -> TriggerDeclaration:
    """A schedule bears the job's own name, so that people find it by that."""
    kind = RULES[name]
    column = {"every": "every_seconds", "init": "init_version"}.get(name, name)
    when = {"trigger_type": kind, column: ("" if rule is True else str(rule)) if kind == "init" else rule}
    fitting = {OPTIONS[name].name: value for name, value in values.items() if OPTIONS[name].is_of(kind)}
    try:
        settings = complete_settings(when | fitting)
    except BadRequest as error:
        raise BadHandler(f"job {key!r}, {name}={rule!r}: {error}") from None
    # What code has no word for is not code's to decide, nor what has no effect on this type.
    columns = (*RULE_COLUMNS, *(setting.name for setting in OPTIONS.values() if setting.is_of(kind)))
    trigger = key if kind == "schedule" else f"{key}:{kind}"
    return TriggerDeclaration(trigger, {column: settings[column] for column in columns})
