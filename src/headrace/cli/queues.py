"""`headrace queues`: where jobs wait."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from urllib.parse import quote

import typer

from headrace.cli.call import Call, speaks_to_api
from headrace.cli.durations import UNITS, duration, moment
from headrace.cli.options import All, Limit, how_many
from headrace.cli.show import Column, ago, span, when

app = typer.Typer(help="Where jobs wait.", no_args_is_help=True)
Queue = Annotated[str, typer.Argument(metavar="QUEUE", help="Its name, such as default.")]
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
async def list_command(call: Call, *, limit: Limit = 50, everything: All = False) -> None:
    """Queues by name, with how much waits and for how long. Example: headrace queues list"""
    async with call.api() as api:
        call.show.table([q async for q in api.items("/admin/queues", limit=how_many(limit, everything))], COLUMNS)


@app.command("show")
@speaks_to_api
async def show_command(call: Call, queue: Queue) -> None:
    """One queue. Example: headrace queues show default"""
    async with call.api() as api:
        _show(call, await api.get(f"/admin/queues/{quote(queue, safe='')}"))


@app.command("pause")
@speaks_to_api
async def pause_command(
    call: Call,
    queue: Queue,
    note: Annotated[str, typer.Option("--note", help="Why, for others.")] = "",
    until: Annotated[
        str | None, typer.Option("--until", help="When it goes on by itself: after 2h, or at a time.")
    ] = None,
) -> None:
    """Have no more of its jobs claimed; what runs, runs on.

    Example: headrace queues pause default --note 'mail is down' --until 2h
    """
    body = {"note": note, "resume_at": None if until is None else _end(until)}
    async with call.api() as api:
        paused = await api.post(f"/admin/queues/{quote(queue, safe='')}/pause", body)
        ends = paused["pause"]["resume_at"] if paused["pause"] else None
        call.show.said(f"queue {queue} is paused" + (f" until {when(ends)}" if ends else ""), paused)


@app.command("resume")
@speaks_to_api
async def resume_command(call: Call, queue: Queue) -> None:
    """Have its jobs claimed again. Example: headrace queues resume default"""
    async with call.api() as api:
        resumed = await api.post(f"/admin/queues/{quote(queue, safe='')}/resume")
        call.show.said(f"queue {queue} goes on", resumed)


def state_of(queue: Mapping[str, Any]) -> str:
    """Whether it stands still, why, and for how long still."""
    if not queue["paused"]:
        part = queue["paused_definitions"]
        return f"open, but for {', '.join(part)}" if part else "open"
    pause = queue["pause"] or {}
    ends = f", ends {ago(pause['resume_at'])}" if pause.get("resume_at") else ""
    return "paused" + ends + (f": {pause['note']}" if pause.get("note") else "")


def _end(text: str) -> str:
    if text.strip()[-1:].lower() in UNITS:
        return (datetime.now(UTC) + timedelta(seconds=duration(text, "--until"))).isoformat()
    return moment(text, "--until")


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
        ("last hour", f"{hour['enqueued']} came, {hour['succeeded']} done, {hour['failed']} failed"),
    ]
    call.show.item(queue, rows)
