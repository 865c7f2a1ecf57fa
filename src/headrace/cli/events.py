"""`headrace events`: publish events and see what came of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from headrace.cli.core.api import Api
from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.options import All, Limit, how_many
from headrace.cli.core.payload import json_object
from headrace.cli.jobs.find import LOOKED_THROUGH, PART, WHOLE
from headrace.cli.output.tables import Column, ago, as_json, when
from headrace.errors import BadRequest, NotFound

app = typer.Typer(no_args_is_help=True, help="Emit events, and list events and their deliveries.")
NAME = re.compile(r"[^\s.*]+(\.[^\s.*]+)*")


@app.command("emit")
@speaks_to_api
async def emit(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The event's name: words with dots between them.")],
    data: Annotated[
        str, typer.Option("--data", metavar="JSON", help="The event's data as JSON; - reads stdin.")
    ] = "{}",
    correlation_id: Annotated[
        str | None, typer.Option("--correlation-id", help="The correlation id of the event and its jobs.")
    ] = None,
    idempotency_key: Annotated[
        str | None, typer.Option("--idempotency-key", help="One event for each key, however often the request is sent.")
    ] = None,
) -> None:
    """Emit an event; triggers that wait for it are dispatched within moments.

    Example: headrace events emit folder.updated --data '{"path": "/reports"}'
    """
    if not NAME.fullmatch(name):
        raise BadRequest(
            f"the name of an event is words with dots between them, for example folder.updated, not {name!r}"
        )
    said = typer.get_text_stream("stdin").read() if data == "-" else data
    body = {"name": name, "data": json_object(said, "--data"), "correlation_id": correlation_id}
    if idempotency_key is not None:
        body["idempotency_key"] = idempotency_key
    async with call.api() as api:
        made = await api.post("/events", body)
    call.show.said(f"emitted  {made['id']}", made)


@app.command("list")
@speaks_to_api
async def list_events(
    call: Call,
    name: Annotated[str | None, typer.Option("--name", help="Only events of this name.")] = None,
    limit: Limit = 50,
    everything: All = False,
) -> None:
    """List events, newest first.

    Example: headrace events list --name folder.updated
    """
    async with call.api() as api:
        found = [event async for event in api.items("/events", limit=how_many(limit, everything), name=name)]
    call.show.table(found, COLUMNS, empty="no events")


@app.command("show")
@speaks_to_api
async def show_event(
    call: Call,
    event: Annotated[str, typer.Argument(metavar="ID", help="The event's id, or a prefix or suffix of the id.")],
) -> None:
    """Show an event and what each trigger made of it.

    Example: headrace events show EVENT
    """
    async with call.api() as api:
        found = await _find(api, event)
    call.show.item(found, _rows(found))
    if found["deliveries"] and not call.as_json:
        call.show.note("")
        call.show.table(found["deliveries"], DELIVERED)
        if found["more_deliveries"]:
            call.show.note(f"There are more deliveries: headrace jobs list --event {found['id']} lists all its jobs.")


async def _find(api: Api, said: str) -> dict[str, Any]:
    part = said.strip().lower()
    if WHOLE.fullmatch(part):
        whole: dict[str, Any] = await api.get(f"/events/{part}")
        return whole
    events = [event async for event in api.items("/events", limit=LOOKED_THROUGH)] if PART.fullmatch(part) else []
    found = [event for event in events if event["id"].startswith(part) or event["id"].endswith(part)]
    if len(found) != 1:
        many = f"{len(found)} events have" if found else "no recent event has"
        raise NotFound(f"{many} an id that begins or ends with {said!r}: see headrace events list")
    return found[0]


def _outcome(event: Mapping[str, Any]) -> str:
    if event["error"]:
        return str(event["error"])
    fired = sum(one["outcome"] == "fired" for one in event["deliveries"])
    more = "+" if event["more_deliveries"] else ""
    return f"{fired}{more} of {len(event['deliveries'])}{more} triggers fired" if event["deliveries"] else "-"


def _rows(event: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [
        ("id", event["id"]),
        ("name", event["name"]),
        ("tenant", event["tenant"]),
        ("emitted", when(event["emitted_at"])),
        ("correlation", event["correlation_id"]),
        ("error", event["error"]),
        ("data", as_json(event["data"], indent=2)),
    ]


COLUMNS = [
    Column("id", lambda event: event["id"], narrow=lambda event: event["id"][-12:]),
    Column("name", lambda event: event["name"], elastic=True),
    Column("age", lambda event: ago(event["emitted_at"]), right=True),
    Column("outcome", _outcome, elastic=True),
    Column("data", lambda event: event["data"], elastic=True, spare=True),
]
DELIVERED = [
    Column("trigger", lambda one: one["trigger"] or one["trigger_id"], elastic=True),
    Column("outcome", lambda one: one["outcome"]),
    Column("job", lambda one: one["job_id"], narrow=lambda one: one["job_id"] and one["job_id"][-12:]),
    Column("why", lambda one: ": ".join(filter(None, (one["reason"], one["detail"]))), elastic=True),
]
