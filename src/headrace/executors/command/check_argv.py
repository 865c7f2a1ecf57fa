"""Does a command's argv fit the JSON Schema of its payload? Asked when the configuration is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from headrace.executors.command.argv import BUILTINS, ArgvInvalid, Slot
from headrace.executors.command.code_words import code_problems, stdin_problems

SCALARS = frozenset({"string", "integer", "number", "boolean"})

IsSecret = Callable[[str], bool]


def check_argv(
    slots: Sequence[Slot], schema: Mapping[str, Any], is_secret: IsSecret, *, on_stdin: bool = False
) -> None:
    """Raise `ArgvInvalid` with a sentence for each slot that some payload could not fill, or must not.

    `on_stdin` says that the program gets the payload on stdin.
    """
    if problems := [*_problems(slots, schema, is_secret), *(stdin_problems(slots) if on_stdin else ())]:
        raise ArgvInvalid("; ".join(problems))


def fill_defaults(payload: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The payload with the defaults of the schema for what it leaves out."""
    properties = _properties(schema)
    return {name: rules["default"] for name, rules in properties.items() if "default" in rules} | dict(payload)


def _problems(slots: Sequence[Slot], schema: Mapping[str, Any], is_secret: IsSecret) -> Iterator[str]:
    properties = _properties(schema)
    required = schema.get("required", ())
    for name in sorted(BUILTINS & properties.keys()):
        yield f"args: a payload may not have the property {name}, which always comes from the job{_used(slots, name)}"
    yield from code_problems(slots)
    for slot in slots:
        if slot.field is None or slot.field in BUILTINS:
            continue
        rules = properties.get(slot.field)
        problem = "is not a property of args" if rules is None else _problem(slot.field, rules, required, is_secret)
        if problem:
            yield f"{slot.place}: {slot.field} {problem}"


def _problem(name: str, rules: Mapping[str, Any], required: Sequence[str], is_secret: IsSecret) -> str | None:
    if is_secret(name):
        return 'is secret, and arguments can be seen by every process: use stdin = "payload" or pass_env'
    if not _is_scalar(rules):
        return "must be declared as a string, integer, number or boolean to be used in argv"
    if "default" in rules:
        fits = isinstance(rules["default"], str | int | float)
        return None if fits else "has a default that is neither a text, a number nor a boolean"
    return None if name in required else "is optional: make it required, or give it a default"


def _is_scalar(rules: Mapping[str, Any]) -> bool:
    kinds = rules.get("type")
    if kinds is not None:
        return bool(kinds) and SCALARS.issuperset([kinds] if isinstance(kinds, str) else kinds)
    values = rules.get("enum", [rules["const"]] if "const" in rules else [])
    return bool(values) and all(isinstance(value, str | int | float) for value in values)


def _properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    # `true` is a schema too: it says nothing about the value.
    return {name: rules if isinstance(rules, Mapping) else {} for name, rules in schema.get("properties", {}).items()}


def _used(slots: Sequence[Slot], name: str) -> str:
    places = [slot.place for slot in slots if slot.field == name]
    return f" (used in {', '.join(places)})" if places else ""
