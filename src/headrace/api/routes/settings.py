"""`/settings`: what may be set of each noun, with labels and ranges, so that no client keeps a copy of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import ResponseModel
from headrace.model.alert.kind import AlertKind
from headrace.model.alert.kinds import KINDS, Kind
from headrace.model.settings.setting import Kind as SettingKind
from headrace.model.settings.setting import Setting

router = new_router(prefix="/settings", tags=["settings"])


class SettingAnswer(ResponseModel):
    """One setting: what it is called, what it does and which values it takes."""

    name: str
    kind: SettingKind
    label: str
    help: str
    group: str = Field(description="settings of one group belong together in a form")
    default: Any
    none: str | None = Field(description="what null means; null where a value is needed")
    needs: str | None = Field(description="a setting without which this one has no effect")
    types: list[str] = Field(description="the types that have it; none: all have it")
    choices: list[str] = Field(description="the values of a choice")
    takes: str = Field(description="which values are taken, in words")
    least: float | None
    above: float | None = Field(description="values are greater than this")
    most: float | None


class SettingsAnswer(ResponseModel):
    """The settings of a noun, in the order in which people read them."""

    items: list[SettingAnswer]


class AlertKindAnswer(ResponseModel):
    """What an alert rule can look for, and the parameters that this takes."""

    name: AlertKind
    label: str
    about: str
    recover_after_seconds: float = Field(description="of a rule that does not say")
    parameters: list[SettingAnswer] = Field(description="null stands for the default")


class AlertRuleSettingsAnswer(SettingsAnswer):
    """The settings of every rule, and the kinds of rules."""

    kinds: list[AlertKindAnswer]


def _items(settings: Iterable[Setting]) -> list[SettingAnswer]:
    return [SettingAnswer.model_validate(setting) for setting in settings]


@router.get("/definition")
async def list_definition_settings(service: CurrentService) -> SettingsAnswer:
    """What may be set of a definition."""
    return SettingsAnswer(items=_items(await service.definitions.settings()))


@router.get("/trigger")
async def list_trigger_settings(service: CurrentService) -> SettingsAnswer:
    """What may be set of a trigger."""
    return SettingsAnswer(items=_items(await service.triggers.settings()))


@router.get("/alert_rule")
async def list_alert_rule_settings(service: CurrentService) -> AlertRuleSettingsAnswer:
    """What may be set of an alert rule, and the kinds of rules with their parameters."""
    items = _items(await service.alert_rules.settings())
    return AlertRuleSettingsAnswer(items=items, kinds=[_kind(name, kind) for name, kind in KINDS.items()])


def _kind(name: AlertKind, kind: Kind) -> AlertKindAnswer:
    return AlertKindAnswer(
        name=name,
        label=kind.label,
        about=kind.about,
        recover_after_seconds=kind.recover_after_seconds,
        parameters=_items(kind.parameters.values()),
    )
