"""What may be said of an alert rule: options by the names people use, settings by the names of the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from headrace.cli.core.setting_options import NONE, read_option, setting_option
from headrace.errors import BadRequest
from headrace.model.settings.alert_rule import AlertRuleSettings
from headrace.model.settings.setting import settings_of

# These are said in a form of their own: `--target` by name, and `--quiet` for both ends.
APART = ("targets", "quiet_from", "quiet_until")
OPTIONS = {one.option: one for one in settings_of(AlertRuleSettings).values() if one.name not in APART}
SETTINGS: dict[str, Any] = {
    "parameters": Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A parameter of the rule's kind, for example n=5 or definition=mail. Repeatable.",
            metavar="NAME=VALUE",
        ),
    ],
    "targets": Annotated[list[str] | None, typer.Option("--target", help="A target of the rule. Repeatable.")],
    "quiet": Annotated[
        str | None, typer.Option("--quiet", help="The time without notices, for example 22:00-07:00; or none.")
    ],
    **{name: setting_option(name, setting, or_none=True) for name, setting in OPTIONS.items()},
}


def settings_sent(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as the API has them; `BadRequest` for what cannot be read."""
    sent: dict[str, Any] = {}
    for name, value in given.items():
        if name in OPTIONS:
            sent[OPTIONS[name].name] = read_option(name, OPTIONS[name], value, or_none=True)
        elif name == "quiet":
            sent["quiet_from"], sent["quiet_until"] = _quiet(value)
        else:
            sent[name] = _parameters(value) if name == "parameters" else value
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
