"""What the commands that pause queues, definitions and tenants have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from headrace.cli.core.api import Api
from headrace.cli.core.call import Call
from headrace.cli.core.durations import ahead
from headrace.cli.output.tables import ago, when

Note = Annotated[str, typer.Option("--note", help="The reason, for other people.")]
Until = Annotated[str | None, typer.Option("--until", help="When the pause ends by itself: after 2h, or at a time.")]


async def pause(call: Call, api: Api, path: str, what: str, note: str, until: str | None) -> None:
    """Pause what stands under a path, and say so."""
    paused = await api.post(f"{path}/pause", {"note": note, **ahead(until, "resume", "--until")})
    ends = paused["pause"]["resume_at"] if paused["pause"] else None
    call.show.said(f"{what} is paused" + (f" until {when(ends)}" if ends else ""), paused)


def pause_words(pause: Mapping[str, Any]) -> str:
    """That it stands still, why, and for how long still."""
    ends = f", ends {ago(pause['resume_at'])}" if pause.get("resume_at") else ""
    return "paused" + ends + (f": {pause['note']}" if pause.get("note") else "")
