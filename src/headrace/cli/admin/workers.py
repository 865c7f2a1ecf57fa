"""`headrace workers`: who runs jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.options import All, Limit, how_many
from headrace.cli.output.tables import Column, ago, size, when
from headrace.errors import BadRequest, NotFound

if TYPE_CHECKING:
    from headrace.cli.core.api import Api

app = typer.Typer(help="List and drain workers.", no_args_is_help=True)
LARGEST_PAGE = 200
Worker = Annotated[
    str, typer.Argument(metavar="WORKER", help="The worker's number, its name, or a prefix of its name.")
]
COLUMNS = [
    Column("id", lambda worker: worker["id"], right=True),
    Column("name", lambda worker: worker["name"], elastic=True),
    Column("state", lambda worker: state_of(worker)),
    Column("slots", lambda worker: f"{worker['running']}/{worker['concurrency']}", right=True),
    Column("memory", lambda worker: memory_of(worker), right=True, spare=True),
    Column("heartbeat", lambda worker: ago(worker["heartbeat_at"]), right=True),
    Column("up", lambda worker: ago(worker["started_at"]), right=True),
    Column("queues", lambda worker: ",".join(worker["queues"]), elastic=True),
    Column("jobs", lambda worker: len(worker["definitions"]), right=True, spare=True),
    Column("version", lambda worker: worker["version"], spare=True),
]


@app.command("list")
@speaks_to_api
async def list_command(
    call: Call,
    state: Annotated[
        Literal["live", "stopped", "lost", "any"],
        typer.Option("--state", help="Only workers in this state; any: live, or ended within a day."),
    ] = "live",
    limit: Limit = 50,
    everything: All = False,
) -> None:
    """List workers, newest first; a stale worker has missed a heartbeat. Example: headrace workers list --state any"""
    wanted = None if state == "any" else state
    async with call.api() as api:
        found = api.items("/admin/workers", limit=how_many(limit, everything), page=LARGEST_PAGE, state=wanted)
        call.show.table([worker async for worker in found], COLUMNS, empty="no workers: start one with headrace worker")


@app.command("show")
@speaks_to_api
async def show_command(call: Call, worker: Worker) -> None:
    """Show one worker and its running jobs. Example: headrace workers show 1"""
    async with call.api() as api:
        found = await _find(api, worker)
    rows = [
        ("id", found["id"]),
        ("name", found["name"]),
        ("state", state_of(found)),
        ("slots", f"{found['running']} of {found['concurrency']} busy"),
        ("host", f"{found['hostname']}, process {found['pid']}"),
        ("memory", memory_of(found)),
        ("version", found["version"]),
        ("queues", ", ".join(found["queues"])),
        ("can run", ", ".join(found["definitions"])),
        ("runs", "\n".join(found["running_jobs"])),
        ("heartbeat", when(found["heartbeat_at"])),
        ("lease", f"{found['lease_seconds']:g} s, until {when(found['lease_expires_at'])}"),
        ("started", when(found["started_at"])),
        ("stopped", when(found["stopped_at"])),
    ]
    call.show.item(found, rows)


@app.command("drain")
@speaks_to_api
async def drain_command(call: Call, worker: Worker) -> None:
    """Let a worker claim no more, finish its jobs and stop. Example: headrace workers drain 1"""
    async with call.api() as api:
        found = await _find(api, worker)
        drained = await api.post(f"/admin/workers/{found['id']}/drain")
        left = f": {drained['running']} jobs to finish" if drained["running"] else ""
        call.show.said(f"worker {drained['name']} drains{left}", drained)


def state_of(worker: Mapping[str, Any]) -> str:
    """What it is up to, in a word."""
    if worker["state"] != "live":
        return str(worker["state"])
    return "stale" if worker["stale"] else "draining" if worker["draining"] else "live"


def memory_of(worker: Mapping[str, Any]) -> str | None:
    """What its process has, where its system tells."""
    return None if worker["memory_bytes"] is None else size(worker["memory_bytes"])


async def _find(api: Api, wanted: str) -> dict[str, Any]:
    """By number, else by the name of a live one."""
    if wanted.isdecimal():
        found: dict[str, Any] = await api.get(f"/admin/workers/{wanted}")
        return found
    live = [w async for w in api.items("/admin/workers", limit=None, page=LARGEST_PAGE, state="live")]
    fitting = [w for w in live if w["name"] == wanted] or [w for w in live if w["name"].startswith(wanted)]
    if not fitting:
        raise NotFound(f"unknown live worker {wanted!r}: see headrace workers list")
    if len(fitting) > 1:
        names = ", ".join(f"{w['id']} ({w['name']})" for w in fitting[:5])
        raise BadRequest(f"{len(fitting)} live workers match {wanted!r}: give the number, for example {names}")
    return fitting[0]
