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
Overlap = Annotated[
    str | None, typer.Option("--overlap", help="allow, or skip: no job while a job of the trigger is live.")
]


async def fire(group: Group, call: Call, name: Name, overlap: Overlap = None) -> None:
    """Fire a trigger now, also when it is off. Exit 1 when a live job prevents the fire.

    Example: headrace GROUP fire nightly_cleanup
    """
    _check(overlap)
    async with call.api() as api:
        found = await find_trigger(api, name, kind=group.kind)
        ran = await api.post(f"/jobs/triggers/{found['id']}/fire", {"overlap": overlap})
    words = "fired" if ran["fired"] else f"not fired ({ran['reason']}) because of"
    call.show.said(f"{found['name']}  {words}  {ran['job_id']}", ran)
    if not ran["fired"]:
        raise typer.Exit(1)


async def skip(group: Group, call: Call, name: Name) -> None:
    """Skip the next due time.

    Example: headrace GROUP skip nightly_cleanup
    """
    async with call.api() as api:
        found = await find_trigger(api, name, kind=group.kind)
        skipped = await api.post(f"/jobs/triggers/{found['id']}/skip-next")
    call.show.said(f"{found['name']}  skips {when(skipped['skipped'])}", skipped)


async def backfill(
    group: Group,
    call: Call,
    name: Name,
    first: Annotated[str, typer.Option("--from", help="The start of the range: a time, or how long ago: 3d.")],
    until: Annotated[str, typer.Option("--until", help="The end of the range: a time, or how long ago.")] = "now",
    overlap: Overlap = None,
    cap: Annotated[
        int, typer.Option("--cap", min=1, max=10_000, help="The most due times; a range with more is refused.")
    ] = 100,
) -> None:
    """Make jobs for the due times of a range, oldest first, also for times that have fired.

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
    payload: Annotated[str, typer.Option("--payload", metavar="JSON", help="The payload with placeholders.")],
    data: Annotated[str, typer.Option("--data", metavar="JSON", help="The data of a sample event.")] = "{}",
    event: Annotated[str, typer.Option("--event", help="The name of the sample event.")] = "sample",
    condition: Annotated[str | None, typer.Option("--condition", help="A condition to evaluate.")] = None,
    definition: Annotated[
        str | None,
        typer.Option(
            "--definition",
            "-d",
            help="The definition whose schema the payload must fit.",
            autocompletion=definition_keys,
        ),
    ] = None,
) -> None:
    """Show the payload that a template makes of an event. Exit 1 when there is none.

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
    holds = {
        None: "",
        True: "the condition holds\n",
        False: "the condition does not hold: the trigger would not fire\n",
    }
    said = made["error"] if made["error"] is not None else as_json(made["payload"], indent=2)
    call.show.said(f"{holds[made['condition_holds']]}{said}", made)
    if made["error"] is not None:
        raise typer.Exit(1)


def _check(overlap: str | None) -> None:
    if overlap is not None and overlap not in OVERLAPS:
        raise BadRequest(f"--overlap is one of {', '.join(OVERLAPS)}, not {overlap!r}")
