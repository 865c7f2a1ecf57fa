"""Settings of a definition as people type them: priority=10 timeout=30s tenants=acme,globex."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from headrace.cli.core.durations import duration
from headrace.cli.core.schema_args import read_boolean
from headrace.errors import BadRequest
from headrace.model.rate import read_rate

if TYPE_CHECKING:
    from headrace.model.settings.setting import Setting

NONE = ("none", "null", "")
RATE = "rate_limit"


def read_settings(said: Sequence[str]) -> dict[str, Any]:
    """By the names of the API, or `BadRequest` before anything is sent."""
    # Pydantic is loaded here, so that other commands start without it.
    from headrace.model.settings.definition import OperatorSettings
    from headrace.model.settings.setting import settings_of

    known = {setting.option: setting for setting in settings_of(OperatorSettings).values()}
    changes: dict[str, Any] = {}
    for one in said:
        name, equals, text = one.partition("=")
        if not equals:
            raise BadRequest(f"a setting is NAME=VALUE, for example priority=10, not {one!r}")
        setting = _find(known, name)
        if setting.name == RATE and "/" in text:
            changes[RATE], changes["rate_period_seconds"] = _rate(text)
        else:
            changes[setting.name] = _read(setting, text.strip())
    OperatorSettings.read(changes, names={setting.name: option for option, setting in known.items()})
    return changes


def _find(known: Mapping[str, Setting], name: str) -> Setting:
    option = name.replace("-", "_").removesuffix("_seconds")
    if option not in known:
        close = get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]}?" if close else f"known settings: {', '.join(known)}"
        raise BadRequest(f"unknown setting {name!r}; {hint}")
    return known[option]


def _read(setting: Setting, text: str) -> Any:
    """The value that a text says. A text that says none of its kind stays a text, which the model refuses."""
    # A list that is empty by mistake, as of a variable without a value, must not become no list.
    if setting.none and text.lower() in NONE and (text or setting.kind != "list"):
        return None
    match setting.kind:
        case "flag":
            return read_boolean(setting.option, text)
        case "duration":
            return duration(text, setting.option)
        case "days":
            days = _number(text, float)
            return duration(text, setting.option) / 86_400 if isinstance(days, str) else days
        case "count":
            return _number(text, int)
        case "number":
            return _number(text, float)
        case "list":
            return [item.strip() for item in text.split(",")]
    return text


def _number(text: str, kind: type[int] | type[float]) -> float | str:
    try:
        return kind(text)
    except ValueError:
        return text


def _rate(text: str) -> tuple[int, float]:
    try:
        return read_rate(text)
    except ValueError as error:
        raise BadRequest(str(error)) from None
