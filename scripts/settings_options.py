"""Keyword arguments for settings, typed: written from the models, for a type checker reads a TypedDict only as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap

from headrace.model.settings.alert_rule import AlertRuleSettings
from headrace.model.settings.definition import DeclaredSettings, DefinitionSettings, OperatorSettings
from headrace.model.settings.setting import Setting, SettingsModel, settings_of
from headrace.model.settings.trigger import DeclaredTriggerSettings, TriggerSettings

OPTIONS = Path(__file__).parents[1] / "src" / "headrace" / "model" / "settings" / "options.py"
HEAD = '''\
"""Settings as keyword arguments, for type checkers and editors. `make docs` writes this from the models."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict
from uuid import UUID

from headrace.model.job.retry import RetryPolicy
'''
Key = tuple[str, str, str]
COLUMN = {
    "flag": "bool",
    "count": "int",
    "text": "str",
    "id": "UUID",
    "list": "Iterable[str]",
    "moment": "datetime",
    "json": "dict[str, Any]",
}
# What says when a trigger fires is an option of its own, and the type follows from it.
INIT = ("init", "bool | str | None", "Fires once; with a text, once for each version.")
# In code a length of time has its own type, and these are read in a shorter form.
OPTION = COLUMN | {"duration": "float | timedelta"}
SHORT = {"rate_limit": "str | int | None"}
IDS = {"targets": "Iterable[UUID]"}
RETRY = ("retry", "RetryPolicy", "The three waits between attempts at once.")


def options_module() -> str:
    """The whole of the file."""
    in_code = [(one.option, SHORT.get(one.name, _type(one, OPTION)), one.help) for one in _all(DeclaredSettings)]
    columns = _columns(OperatorSettings)
    shared = [key for key in columns if key[0] in DefinitionSettings.model_fields]
    only = [key for key in columns if key not in shared]
    triggers = [
        INIT if one.name == "init_version" else (one.option, _type(one, OPTION), one.help)
        for one in _all(DeclaredTriggerSettings)
        if one.name != "trigger_type"
    ]
    return (
        HEAD
        + _class("DefinitionOptions", "What code declares of how a job runs.", [*in_code, RETRY])
        + _class("DefinitionColumns", "The settings of a definition by their columns.", shared)
        + _class("DefinitionChanges", "What an operator changes of a definition.", only, "DefinitionColumns")
        + _class("TriggerOptions", "What code declares of when a job fires.", triggers)
        + _class("TriggerColumns", "The settings of a trigger by their columns.", _columns(TriggerSettings))
        + _class("AlertRuleColumns", "The settings of an alert rule by their columns.", _columns(AlertRuleSettings))
    )


def _columns(model: type[SettingsModel]) -> list[Key]:
    return [(one.name, IDS.get(one.name, _type(one, COLUMN)), one.help) for one in _all(model)]


def _all(model: type[SettingsModel]) -> list[Setting]:
    return list(settings_of(model).values())


def _type(setting: Setting, types: Mapping[str, str]) -> str:
    choices = ", ".join(f'"{choice}"' for choice in setting.choices)
    kind = f"Literal[{choices}]" if choices else types.get(setting.kind, "float")
    return kind + (" | None" if setting.none else "")


def _class(name: str, about: str, keys: list[Key], base: str = "TypedDict") -> str:
    lines = "".join(f"    {key}: {kind}\n{_docstring(text)}" for key, kind, text in keys)
    return f'\n\nclass {name}({base}, total=False):\n    """{about}"""\n\n{lines}'


def _docstring(text: str) -> str:
    return "".join(_lines(text))


def _lines(text: str) -> Iterator[str]:
    """On one line, or on several that are not too long."""
    if len(text) <= 110:
        yield f'    """{text}"""\n'
        return
    first, *rest = wrap(text, 110)
    yield f'    """{first}\n'
    yield from (f"    {line}\n" for line in rest)
    yield '    """\n'
