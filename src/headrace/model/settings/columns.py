"""The columns of each noun's settings, which SQL names by a slot: `{definition}`."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.model.settings.definition import DefinitionSettings

COLUMNS: Mapping[str, tuple[str, ...]] = {"definition": tuple(DefinitionSettings.model_fields)}
