"""Alerts, rules and targets by name, by id, or by a part of one."""

from __future__ import annotations

from typing import Any

from headrace.cli.core.api import Api
from headrace.cli.jobs.find import PART, WHOLE
from headrace.errors import NotFound

Item = dict[str, Any]


async def find_rule(api: Api, said: str) -> Item:
    """The one rule that is meant, or `NotFound`."""
    return await _find(api, "/alerts/rules", said, "alert rule", "headrace alerts rules list")


async def find_target(api: Api, said: str) -> Item:
    """The one target that is meant, or `NotFound`."""
    return await _find(api, "/alerts/targets", said, "alert target", "headrace alerts targets list")


async def find_alert(api: Api, said: str) -> Item:
    """The one alert that is meant, or `NotFound`; by a part of its id among open ones first."""
    for state in ("open", "all"):
        try:
            return await _find(api, "/alerts", said, "alert", "headrace alerts list", state=state)
        except NotFound:
            if state == "all":
                raise
    raise AssertionError("all are looked at last")


async def _find(api: Api, path: str, said: str, noun: str, hint: str, **params: Any) -> Item:
    part = said.strip().lower()
    if WHOLE.fullmatch(part):
        whole: Item = await api.get(f"{path}/{part}")
        return whole
    every = [item async for item in api.items(path, limit=None, **params)]
    found = [item for item in every if item.get("name") == said]
    if not found and PART.fullmatch(part):
        found = [item for item in every if item["id"].startswith(part) or item["id"].endswith(part)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFound(f"unknown {noun} {said!r}: see {hint}")
    raise NotFound(f"{len(found)} {noun}s have the name {said!r}: give an id, see {hint}")
