"""`headrace triggers|schedules fire|skip|backfill`, `headrace triggers test-render`: run and try triggers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from headrace.cli.core.call import Call
from headrace.cli.core.completion import definition_keys
from headrace.cli.core.durations import past
from headrace.cli.core.payload import json_object
from headrace.cli.output.tables import as_json, when
from headrace.cli.triggers.find import find_trigger
from headrace.cli.triggers.list import Group, Name
from headrace.errors import BadRequest

OVERLAPS = ("allow", "skip")
Overlap = Annotated[str | None, typer.Option("--overlap", help="allow, or skip: not while a job of it is live.")]


async def fire(group: Group, call: Call, name: Name, overlap: Overlap = None) -> None:
    """Run it now, also when it is off. Exit 1 when a live job was in its way.

    Example: headrace GROUP fire nightly_cleanup
    """
    _check(overlap)
    async with call.api() as api:
        found = await find_trigger(api, name, kind=group.kind)
        ran = await api.post(f"/jobs/triggers/{found['id']}/fire", {"overlap": overlap})
    words = "fired" if ran["fired"] else f"not fired ({ran['reason']}): in its way is"
    call.show.said(f"{found['name']}  {words}  {ran['job_id']}", ran)
    if not ran["fired"]:
        raise typer.Exit(1)


async def skip(group: Group, call: Call, name: Name) -> None:
    """Let the next due time pass.

    Example: headrace GROUP skip nightly_cleanup
    """
    async with call.api() as api:
        found = await find_trigger(api, name, kind=group.kind)
        skipped = await api.post(f"/jobs/triggers/{found['id']}/skip-next")
    call.show.said(f"{found['name']}  will pass over {when(skipped['skipped'])}", skipped)


async def backfill(
    group: Group,
    call: Call,
    name: Name,
    first: Annotated[str, typer.Option("--from", help="The first time, or how long ago: 3d.")],
    until: Annotated[str, typer.Option("--until", help="The time after the last, or how long ago.")] = "now",
    overlap: Overlap = None,
    cap: Annotated[int, typer.Option("--cap", min=1, max=10_000, help="More due times than this are refused.")] = 100,
) -> None:
    """Make jobs for the due times of a range, oldest first, also for those that have fired.

    Example: headrace GROUP backfill nightly_cleanup --from 3d
    """
    _check(overlap)
    begin, end = past(first, "--from"), past(until, "--until")
    if datetime.fromisoformat(begin) >= datetime.fromisoformat(end):
        raise BadRequest("--from must come before --until")
    body = {"from": begin, "until": end, "overlap": overlap or "allow", "cap": cap}
    async with call.api() as api:
        found = await find_trigger(api, name, kind=group.kind)
        made = await api.post(f"/jobs/triggers/{found['id']}/backfill", body)
    skipped = f", {made['skipped']:,} skipped" if made["skipped"] else ""
    call.show.said(f"{found['name']}  {len(made['job_ids']):,} jobs enqueued{skipped}", made)


async def try_template(
    call: Call,
    payload: Annotated[str, typer.Option("--payload", metavar="JSON", help="The payload, with its placeholders.")],
    data: Annotated[str, typer.Option("--data", metavar="JSON", help="The data of a sample event.")] = "{}",
    event: Annotated[str, typer.Option("--event", help="The name of that event.")] = "sample",
    condition: Annotated[str | None, typer.Option("--condition", help="Whether this would hold.")] = None,
    definition: Annotated[
        str | None,
        typer.Option("--definition", "-d", help="Whose arguments it must fit.", autocompletion=definition_keys),
    ] = None,
) -> None:
    """Show what a template makes of an event. Exit 1 when it makes nothing.

    Example: headrace triggers test-render --payload '{"name": "{{event.who}}"}' --data '{"who": "Ada"}'
    """
    body = {
        "payload": json_object(payload, "--payload"),
        "event": event,
        "data": json_object(data, "--data"),
        "condition": condition,
        "definition": definition,
    }
    async with call.api() as api:
        made = await api.post("/jobs/triggers/test-render", body)
    holds = {None: "", True: "the condition holds\n", False: "the condition does not hold: it would not fire\n"}
    said = made["error"] if made["error"] is not None else as_json(made["payload"], indent=2)
    call.show.said(f"{holds[made['condition_holds']]}{said}", made)
    if made["error"] is not None:
        raise typer.Exit(1)


def _check(overlap: str | None) -> None:
    if overlap is not None and overlap not in OVERLAPS:
        raise BadRequest(f"--overlap is one of {', '.join(OVERLAPS)}, not {overlap!r}")
