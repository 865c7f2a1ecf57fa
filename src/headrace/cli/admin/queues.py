"""`headrace queues`: where jobs wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

import typer

from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.durations import duration
from headrace.cli.core.options import All, Limit, System, how_many, whole_or_none
from headrace.cli.core.pausing import Note, Until, pause, pause_words
from headrace.cli.output.tables import Column, span, when
from headrace.errors import BadRequest

app = typer.Typer(help="List, pause and change queues.", no_args_is_help=True)
Queue = Annotated[str, typer.Argument(metavar="QUEUE", help="The queue, for example default.")]
COLUMNS = [
    Column("queue", lambda queue: queue["queue"], elastic=True),
    Column("state", lambda queue: state_of(queue), elastic=True),
    Column("queued", lambda queue: queue["depth"]["queued"], right=True),
    Column("running", lambda queue: queue["depth"]["running"], right=True),
    Column("scheduled", lambda queue: queue["depth"]["scheduled"], right=True),
    Column("oldest", lambda queue: span(queue["oldest_age_seconds"]), right=True),
    Column("workers", lambda queue: queue["workers"], right=True),
    Column("done/h", lambda queue: queue["last_hour"]["succeeded"], right=True, spare=True),
    Column("failed/h", lambda queue: queue["last_hour"]["failed"], right=True, spare=True),
]


@app.command("list")
@speaks_to_api
async def list_command(call: Call, *, limit: Limit = 50, everything: All = False, system: System = False) -> None:
    """List queues by name, with the number of waiting jobs and the longest wait. Example: headrace queues list"""
    async with call.api() as api:
        found = api.items("/admin/queues", limit=how_many(limit, everything), include_system=system or None)
        call.show.table([q async for q in found], COLUMNS)


@app.command("show")
@speaks_to_api
async def show_command(call: Call, queue: Queue) -> None:
    """Show one queue. Example: headrace queues show default"""
    async with call.api() as api:
        _show(call, await api.get(f"/admin/queues/{quote(queue, safe='')}"))


@app.command("set")
@speaks_to_api
async def set_command(
    call: Call,
    queue: Queue,
    max_running: Annotated[
        str | None,
        typer.Option(
            "--max-running", metavar="N", help="The most running jobs, over all workers; none removes the limit."
        ),
    ] = None,
    fair: Annotated[
        bool | None,
        typer.Option("--fair/--first-come", help="Tenants take turns, by weight; or the oldest job is first."),
    ] = None,
    ageing: Annotated[
        str | None,
        typer.Option("--ageing", help="The wait after which a job is served like the most urgent: 1h; 0 is never."),
    ] = None,
) -> None:
    """Change how a queue is served, from now on and in every worker.

    Example: headrace queues set default --fair --max-running 100
    """
    body: dict[str, Any] = {} if fair is None else {"fair": fair}
    if max_running is not None:
        body["max_running"] = whole_or_none(max_running, "--max-running")
    if ageing is not None:
        body["ageing_seconds"] = round(duration(ageing, "--ageing"))
    if not body:
        raise BadRequest("nothing to change: give --max-running, --fair, --first-come or --ageing")
    async with call.api() as api:
        _show(call, await api.patch(f"/admin/queues/{quote(queue, safe='')}", body))


@app.command("pause")
@speaks_to_api
async def pause_command(call: Call, queue: Queue, note: Note = "", until: Until = None) -> None:
    """Stop claims of the queue's jobs; running jobs continue, and enqueues are accepted.

    Example: headrace queues pause default --note 'mail is down' --until 2h
    """
    async with call.api() as api:
        await pause(call, api, f"/admin/queues/{quote(queue, safe='')}", f"queue {queue}", note, until)


@app.command("resume")
@speaks_to_api
async def resume_command(call: Call, queue: Queue) -> None:
    """Resume claims of the queue's jobs. Example: headrace queues resume default"""
    async with call.api() as api:
        resumed = await api.post(f"/admin/queues/{quote(queue, safe='')}/resume")
        call.show.said(f"queue {queue} is resumed", resumed)


def state_of(queue: Mapping[str, Any]) -> str:
    """Whether it stands still, why, and for how long still."""
    if not queue["paused"]:
        part = queue["paused_definitions"]
        return f"open, but for {', '.join(part)}" if part else "open"
    return pause_words(queue["pause"] or {})


def _show(call: Call, queue: dict[str, Any]) -> None:
    depth, hour, pause = queue["depth"], queue["last_hour"], queue["pause"] or {}
    rows = [
        ("queue", queue["queue"]),
        ("state", state_of(queue)),
        ("paused by", pause.get("paused_by")),
        ("paused", when(pause.get("paused_at"))),
        ("jobs", f"{depth['queued']} queued, {depth['running']} running, {depth['scheduled']} scheduled"),
        ("oldest", None if queue["oldest_age_seconds"] is None else span(queue["oldest_age_seconds"])),
        ("workers", queue["workers"]),
        ("served", _served(queue["settings"])),
        ("last hour", f"{hour['enqueued']} came, {hour['succeeded']} done, {hour['failed']} failed"),
    ]
    call.show.item(queue, rows)


def _served(settings: Mapping[str, Any]) -> str:
    most = "" if settings["max_running"] is None else f"{settings['max_running']:,} at once; "
    order = "tenants take turns" if settings["fair"] else "first come, first served"
    age = f"; after {span(settings['ageing_seconds'])} as the most urgent" if settings["ageing_seconds"] else ""
    return f"{most}{order}{age}"
