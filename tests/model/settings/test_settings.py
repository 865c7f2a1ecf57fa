"""A setting is declared once: the table takes what the model takes, and every surface has every setting."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import pytest
from scripts.settings_options import OPTIONS as TYPED
from scripts.settings_options import options_module

from headrace.api.routes.admin.definitions import DefinitionChange
from headrace.api.routes.alerts.rules import NewRule, RuleAnswer, RuleChanges
from headrace.api.routes.definitions import DefinitionAnswer
from headrace.api.routes.triggers.requests import NewTrigger, TriggerChanges
from headrace.api.routes.triggers.responses import TriggerAnswer
from headrace.api.routes.worker.registration import NewDefinition
from headrace.app.declare import JobOptions
from headrace.cli.alerts.options import APART
from headrace.cli.alerts.options import OPTIONS as OF_RULES
from headrace.cli.definitions.group import SETTINGS
from headrace.cli.triggers.options import OPTIONS
from headrace.config import CommandSettings
from headrace.db.connect import Connection
from headrace.errors import BadRequest
from headrace.model.settings.alert_rule import AlertRuleSettings
from headrace.model.settings.definition import DeclaredSettings, DefinitionSettings, OperatorSettings
from headrace.model.settings.setting import Setting, SettingsModel, settings_of
from headrace.model.settings.trigger import DeclaredTriggerSettings, TriggerSettings
from headrace.model.time.zone import EARLIEST, LATEST


class Noun(NamedTuple):
    """A table with settings; `row` makes one, with the defaults but for `given`, and `base` is what a setting needs."""

    table: str
    models: tuple[type[SettingsModel], ...]
    row: str
    base: Callable[[Setting], dict[str, Any]]
    given: Mapping[str, Any] = MappingProxyType({})


def of_a_trigger(setting: Setting) -> dict[str, Any]:
    """A rule of a type that has the setting."""
    if setting.name == "every_seconds":
        return {"cron": None}
    return {"trigger_type": "event", "cron": None, "event": "a"} if setting.types == ("event",) else {"cron": "@daily"}


IDS = [str(UUID(int=n)) for n in range(12)]
NOUNS = [
    Noun(
        "definition",
        (DeclaredSettings, OperatorSettings),
        "insert into headrace.definition (key, kind, app, hash) values ('bare', 'python', 'test', '')",
        lambda _: {"concurrency_key": "a", "rate_limit": 1},
    ),
    Noun(
        "trigger",
        (TriggerSettings,),
        "insert into headrace.definition (key, kind, app, hash) values ('bare', 'python', 'test', '');"
        "insert into headrace.trigger (name, definition_id, cron) select 'bare', id, '@daily' from headrace.definition",
        of_a_trigger,
        {"cron": "@daily"},
    ),
    Noun(
        "alert_rule",
        (AlertRuleSettings,),
        "insert into headrace.alert_rule (name, kind, created_by) values ('bare', 'job_died', 'test')",
        lambda _: {
            "quiet_from": "22:00",
            "quiet_until": "07:00",
            "repeat_seconds": 1,
            "escalate_after": 1,
            "escalate_to": IDS[0],
        },
    ),
]
ODD_TEXTS = [
    "",
    " ",
    "a",
    "a\n",
    "\ta",
    "a b",
    "a.b",
    "[a, b.c]",
    "[a ,b]",
    "[a",
    "a..b",
    "-a",
    "*",
    "\x00",
    "ключ",
    "a\u3000",
]
ODD_TEXTS += ["headrace", "Headrace", "headrace.x"]
ODD_TEXTS += ["22:01", "24:00", "9:00", "10:60", "10:00:00", "1\u0660:00"]
ODD_TEXTS += ["a" * length for length in (100, 101, 500, 501, 100_000, 100_001)]


def cases() -> list[Any]:
    """Each setting of each noun, once."""
    found = {
        (noun.table, name): (noun, one) for noun in NOUNS for m in noun.models for name, one in settings_of(m).items()
    }
    return [pytest.param(noun, setting, id=".".join(path)) for path, (noun, setting) in found.items()]


def edges(setting: Setting) -> Iterator[Any]:
    """Values below, at and above both ends of the range; odd texts; and null."""
    yield None
    if setting.kind == "flag":
        yield from (True, False)
    elif setting.kind == "list":
        yield from ([], ["a"] * 100, ["a"] * 101, ["\x00"], IDS[1:11], IDS[1:], [IDS[0]])
    elif setting.kind == "id":
        yield from (IDS[11], "", "a")
    elif setting.kind in ("text", "choice"):
        yield from (*setting.choices, *ODD_TEXTS)
    elif setting.kind == "json":
        yield from ({}, {"a": [1]}, [], "a", 1)
    elif setting.kind == "moment":
        second = timedelta(seconds=1)
        yield from (moment.isoformat() for moment in (EARLIEST - second, EARLIEST, LATEST, LATEST + second))
    else:
        for end in (setting.least, setting.above, setting.most):
            if end is not None:
                whole = setting.kind == "count"
                yield from (
                    (end - 1, end, end + 1) if whole else (math.nextafter(end, -1), end, math.nextafter(end, 1e9))
                )
        if setting.kind != "count":
            yield from (math.inf, math.nan)


def model_takes(noun: Noun, setting: Setting, value: Any) -> bool:
    model = next(model for model in noun.models if setting.name in model.model_fields)
    try:
        model.read(noun.base(setting) | {setting.name: value}).check_rules()
    except BadRequest:
        return False
    return True


async def table_takes(conn: Connection, noun: Noun, setting: Setting, value: Any) -> bool:
    said = noun.base(setting) | {setting.name: value}
    columns = ", ".join(said)
    change = f"update headrace.{noun.table} as it set ({columns}) = row (new.{', new.'.join(said)})"
    try:
        async with conn.transaction():
            await conn.execute(
                f"{change} from headrace.{noun.table} as old, jsonb_populate_record(old, $1) as new", json.dumps(said)
            )
    except asyncpg.PostgresError:
        return False
    return True


@pytest.mark.parametrize(("noun", "setting"), cases())
def test_a_setting_has_its_words_and_its_range(noun: Noun, setting: Setting) -> None:
    assert setting.label
    assert setting.help.endswith(".")
    assert setting.group
    field = next(m.model_fields[setting.name] for m in noun.models if setting.name in m.model_fields)
    assert (type(None) in getattr(field.annotation, "__args__", ())) == (setting.none is not None)
    if setting.kind in ("count", "number", "duration", "days"):
        assert setting.most is not None
        assert (setting.least is None) != (setting.above is None)
    elif setting.kind in ("text", "id", "list"):
        assert setting.allowed


@pytest.mark.parametrize(("noun", "setting"), cases())
async def test_the_table_takes_what_the_model_takes(connection: Connection, noun: Noun, setting: Setting) -> None:
    await connection.execute(noun.row)
    taken = [(value, await table_takes(connection, noun, setting, value)) for value in edges(setting)]
    assert [(value, model_takes(noun, setting, value)) for value, _ in taken] == taken
    assert any(took for _, took in taken)


def as_model(value: Any) -> Any:
    """A column as the model has it: lists are tuples there, and JSON is read."""
    if isinstance(value, list):
        return tuple(value)
    return json.loads(value) if value == "{}" else value


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.table)
async def test_a_bare_row_has_the_defaults_of_the_model(connection: Connection, noun: Noun) -> None:
    await connection.execute(noun.row)
    row = await connection.fetchrow(f"select * from headrace.{noun.table}")
    assert row is not None
    for model in noun.models:
        assert {name: as_model(row[name]) for name in model.model_fields} == model(**noun.given).model_dump()


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.table)
async def test_every_rule_is_a_constraint_of_the_table(connection: Connection, noun: Noun) -> None:
    found = await connection.fetch(
        "select conname from pg_constraint where contype = 'c' and conrelid = $1::regclass", f"headrace.{noun.table}"
    )
    rules = {rule.constraint for model in noun.models for rule in model.rules}
    assert rules <= {row["conname"] for row in found}


def test_every_surface_has_every_setting_of_a_definition() -> None:
    names = set(DefinitionSettings.model_fields)
    for surface in (DefinitionChange, DefinitionAnswer, NewDefinition, CommandSettings):
        assert names <= set(surface.model_fields), surface
    options = {setting.option for setting in settings_of(DefinitionSettings).values()}
    assert options <= set(JobOptions.__annotations__)
    assert options <= set(SETTINGS.split(", "))


def test_every_surface_has_every_setting_of_a_trigger() -> None:
    names = set(TriggerSettings.model_fields)
    for surface in (NewTrigger, TriggerChanges, TriggerAnswer):
        assert names <= set(surface.model_fields), surface
    in_code = {setting.option for setting in settings_of(DeclaredTriggerSettings).values()}
    assert in_code - {"trigger_type", "init_version"} <= set(JobOptions.__annotations__)
    assert {setting.name for setting in OPTIONS.values()} == names - {"trigger_type"}


def test_every_surface_has_every_setting_of_an_alert_rule() -> None:
    for surface in (NewRule, RuleChanges, RuleAnswer):
        assert set(AlertRuleSettings.model_fields) <= set(surface.model_fields), surface
    assert {one.name for one in OF_RULES.values()} | set(APART) == set(AlertRuleSettings.model_fields)


def test_the_typed_keyword_arguments_are_what_the_models_say() -> None:
    assert TYPED.read_text("utf-8") == options_module(), "run `make docs`"
