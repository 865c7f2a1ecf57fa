"""`/settings`: what may be set of each noun, with labels and ranges, so that no client keeps a copy of its own."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import ResponseModel

router = new_router(prefix="/settings", tags=["settings"])


class SettingAnswer(ResponseModel):
    """One setting: what it is called, what it does and which values it takes."""

    name: str
    kind: Literal["flag", "count", "number", "duration", "days", "text", "list"]
    label: str
    help: str
    group: str = Field(description="settings of one group belong together in a form")
    default: Any
    none: str | None = Field(description="what null means; null where a value is needed")
    needs: str | None = Field(description="a setting without which this one has no effect")
    takes: str = Field(description="which values are taken, in words")
    least: float | None
    above: float | None = Field(description="values are greater than this")
    most: float | None


class SettingsAnswer(ResponseModel):
    """The settings of a noun, in the order in which people read them."""

    items: list[SettingAnswer]


@router.get("/definition")
async def list_definition_settings(service: CurrentService) -> SettingsAnswer:
    """What may be set of a definition."""
    items = [SettingAnswer.model_validate(setting) for setting in await service.definitions.settings()]
    return SettingsAnswer(items=items)
