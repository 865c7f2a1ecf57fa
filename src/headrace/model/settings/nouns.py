"""The nouns that have settings, as slots in SQL name them: `{definition}` stands for the columns of a definition's."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.model.settings.alert_rule import AlertRuleSettings
from headrace.model.settings.definition import DefinitionSettings
from headrace.model.settings.setting import SettingsModel
from headrace.model.settings.trigger import TriggerSettings

NOUNS: Mapping[str, type[SettingsModel]] = {
    "definition": DefinitionSettings,
    "trigger": TriggerSettings,
    "alert_rule": AlertRuleSettings,
}
