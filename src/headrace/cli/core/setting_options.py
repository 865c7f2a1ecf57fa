"""Settings as options of the command line: help, range and reader come from the model that declares the setting."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headrace.cli.core.durations import duration, moment
from headrace.cli.core.payload import json_object
from headrace.errors import BadRequest
from headrace.model.settings.setting import Setting

NONE = "none"
EXAMPLES = {"duration": "for example 15m", "choice": "one of {}", "moment": "for example 2030-01-31T08:00:00Z, or 2h"}


def flag(name: str) -> str:
    """The option as people write it."""
    return f"--{name.replace('_', '-')}"


def setting_option(name: str, setting: Setting, *, or_none: bool = False) -> Any:
    """An option for a setting; with `or_none` the word none stands for null."""
    counts = setting.kind == "count" and not or_none
    bounds: dict[str, Any] = {"min": setting.least, "max": setting.most} if counts else {}
    metavar = "JSON" if setting.kind == "json" else None
    help_text = _help(setting, or_none=or_none)
    return Annotated[
        (int if counts else str) | None, typer.Option(flag(name), help=help_text, metavar=metavar, **bounds)
    ]


def _help(setting: Setting, *, or_none: bool) -> str:
    example = EXAMPLES.get(setting.kind, "").format(", ".join(setting.choices))
    more = [example] * bool(example) + ["or none"] * bool(or_none and setting.none)
    return f"{setting.help.removesuffix('.')}: {', '.join(more)}." if more else setting.help


def read_option(name: str, setting: Setting, value: Any, *, or_none: bool = False) -> Any:
    """The value as the API has it, or `BadRequest` before anything is sent."""
    if or_none and value == NONE and setting.none:
        return None
    match setting.kind:
        case "duration":
            return duration(value, flag(name))
        case "moment":
            return moment(value, flag(name))
        case "json":
            return json_object(value, flag(name))
        case "count" if isinstance(value, str):
            return _count(name, value)
    if setting.choices and value not in setting.choices:
        raise BadRequest(f"{flag(name)} is {setting.takes}, not {value!r}")
    return value


def _count(name: str, text: str) -> int:
    if not text.isdecimal():
        raise BadRequest(f"{flag(name)} is a whole number, or none, not {text!r}")
    return int(text)
