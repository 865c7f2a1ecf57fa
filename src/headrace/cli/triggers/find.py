"""Triggers by name or id."""

from __future__ import annotations

from typing import Any

from headrace.cli.core.api import Api
from headrace.cli.jobs.find import PART, WHOLE
from headrace.errors import NotFound

TIME = "schedule"


async def trigger_id(api: Api, said: str, *, kind: str | None = None) -> str:
    """The id of the one trigger that is meant, or `NotFound`. A whole id is taken at its word: it may be deleted."""
    whole = said.strip().lower()
    return whole if WHOLE.fullmatch(whole) else str((await _by_name(api, said, kind))["id"])


async def find_trigger(api: Api, said: str, *, kind: str | None = None) -> dict[str, Any]:
    """The one trigger that is meant, or `NotFound`."""
    whole = said.strip().lower()
    if not WHOLE.fullmatch(whole):
        return await _by_name(api, said, kind)
    found: dict[str, Any] = await api.get(f"/jobs/triggers/{whole}")
    return found


async def _by_name(api: Api, said: str, kind: str | None) -> dict[str, Any]:
    every = [trigger async for trigger in api.items("/jobs/triggers", limit=None, trigger_type=kind)]
    found = [trigger for trigger in every if trigger["name"] == said]
    if not found and PART.fullmatch(said.lower()):
        part = said.lower()
        found = [trigger for trigger in every if trigger["id"].startswith(part) or trigger["id"].endswith(part)]
    if len(found) == 1:
        return found[0]
    word, group = ("schedule", "schedules") if kind == TIME else ("trigger", "triggers")
    if not found:
        raise NotFound(f"unknown {word} {said!r}: see headrace {group} list")
    tenants = {trigger["tenant"] for trigger in found}
    hint = f"add --tenant ({', '.join(sorted(tenants))})" if len(tenants) > 1 else "give more of its id"
    raise NotFound(f"{len(found)} {word}s have the name {said!r}: {hint}")
