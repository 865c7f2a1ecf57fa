"""What the shell offers on the tab key: asked of the API, at once or not at all."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import typer

from headrace.cli.output.tables import clean

# A key that takes longer than this is felt as a fault.
PATIENCE = 0.9
STATUSES = ("scheduled", "queued", "running", "succeeded", "failed", "canceled", "dead_letter")
# What a filter may name: a status, or failed and dead_letter at once.
STATUS_WORDS = (*STATUSES, "unsuccessful")
LEVELS = ("debug", "info", "warning", "error", "critical")


def statuses(incomplete: str) -> list[str]:
    """Statuses of jobs, as filters name them."""
    return [status for status in STATUS_WORDS if status.startswith(incomplete)]


def definition_keys(ctx: typer.Context, incomplete: str) -> list[str]:
    """Keys of definitions."""
    return _beginning(incomplete, _ask(ctx, "/definitions", lambda item: str(item["key"]), limit=500))


def trigger_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of triggers."""
    return _beginning(incomplete, _ask(ctx, "/jobs/triggers", lambda item: str(item["name"]), limit=500))


def schedule_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of time triggers."""
    found = _ask(ctx, "/jobs/triggers", lambda item: str(item["name"]), limit=500, trigger_type="schedule")
    return _beginning(incomplete, found)


def job_ids(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Ids of the newest jobs, with what they are of."""
    found = _ask(ctx, "/jobs", lambda item: (item["id"], f"{item['definition']} {item['status']}"), limit=100)
    return [(known, of) for known, of in found if known.startswith(incomplete)]


def _beginning(incomplete: str, found: list[str]) -> list[str]:
    # One that a terminal would obey is not offered.
    return sorted({name for name in found if name.startswith(incomplete) and name == clean(name)})


def _ask(ctx: typer.Context, path: str, pick: Callable[[dict[str, Any]], Any], **params: Any) -> list[Any]:
    """From a list of the API, within the time there is; nothing when anything is wrong."""
    found: list[Any] = []

    def work() -> None:
        try:
            found.extend(asyncio.run(_read(ctx, path, params)))
        except Exception:
            found.clear()

    # A thread that nobody waits for: whatever hangs in it, the shell gets its prompt back.
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return [] if thread.is_alive() else [pick(item) for item in found]


async def _read(ctx: typer.Context, path: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    from headrace.cli.core.call import make_call
    from headrace.config import load_settings

    said = {name: ctx.params.get(name) for name in ("url", "token", "tenant", "config")}
    call = make_call(**said, as_json=True)
    if call.url is None and load_settings().database.url is None:
        return []  # an embedded server is not started for this
    async with call.api() as api:
        items: list[dict[str, Any]] = (await api.get(path, **params))["items"]
        return items
