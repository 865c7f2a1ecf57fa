"""What may be said of an alert rule: options by the names people use, settings by the names of the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from headrace.cli.core.durations import duration
from headrace.errors import BadRequest

NONE = "none"


def _option(kind: Any, name: str, help: str, **how: Any) -> Any:  # noqa: A002 - as typer calls it
    return Annotated[kind | None, typer.Option(name, help=help, **how)]


SETTINGS: dict[str, Any] = {
    "parameters": _option(
        list[str],
        "--set",
        "A parameter of the rule's kind, for example n=5 or definition=mail. Repeatable.",
        metavar="NAME=VALUE",
    ),
    "targets": _option(list[str], "--target", "A target of the rule. Repeatable."),
    "repeat": _option(str, "--repeat", "How often the notice of an open alert is repeated, for example 1h; or none."),
    "recover_after": _option(
        str, "--recover-after", "How long the condition must not hold before the alert closes, for example 5m."
    ),
    "group": _option(str, "--group", "How long new alerts wait after a notice, to share the next one, for example 1m."),
    "escalate_after": _option(
        str, "--escalate-after", "The repeat from which --escalate-to gets the notices too; or none."
    ),
    "escalate_to": _option(str, "--escalate-to", "The second target; or none."),
    "quiet": _option(str, "--quiet", "The time without notices, for example 22:00-07:00; or none."),
    "timezone": _option(str, "--timezone", "The time zone of --quiet, for example Europe/Berlin; UTC when absent."),
}
LENGTHS = {"repeat": "repeat_seconds", "recover_after": "recover_after_seconds", "group": "group_seconds"}


def settings_sent(said: Mapping[str, Any]) -> dict[str, Any]:
    """What was said, as the API has it; `BadRequest` for what cannot be read."""
    sent: dict[str, Any] = {}
    for name, value in said.items():
        if name in LENGTHS:
            option = "--" + name.replace("_", "-")
            sent[LENGTHS[name]] = None if value == NONE else duration(value, option)
        elif name == "quiet":
            sent["quiet_from"], sent["quiet_until"] = _quiet(value)
        elif name == "parameters":
            sent["parameters"] = _parameters(value)
        elif name == "escalate_after":
            sent[name] = _count(value)
        else:
            sent[name] = None if value == NONE else value
    return sent


def _quiet(text: str) -> tuple[str | None, str | None]:
    if text == NONE:
        return None, None
    start, dash, end = (part.strip() for part in text.partition("-"))
    if not dash:
        raise BadRequest(f"--quiet is a start and an end, for example 22:00-07:00, not {text!r}")
    return start, end


def _parameters(given: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadRequest(f"--set is name=value, for example n=5, not {text!r}")
        found[name.strip()] = _value(value.strip())
    return found


def _value(text: str) -> str | float | int | None:
    if text == NONE:
        return None
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _count(text: str) -> int | None:
    if text == NONE:
        return None
    if not text.isdecimal():
        raise BadRequest(f"--escalate-after is a whole number, or none, not {text!r}")
    return int(text)
