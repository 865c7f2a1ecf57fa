"""`headrace tenants`: whose jobs there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

import typer

from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.options import All, Limit, how_many, whole_or_none, with_options
from headrace.cli.core.pausing import Note, Until, pause, pause_words
from headrace.cli.output.tables import Column, ago, when
from headrace.errors import BadRequest

app = typer.Typer(help="Manage tenants and their limits.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The tenant, for example acme.")]
Title = Annotated[str | None, typer.Option("--title", help="The name on screens.")]
Weight = Annotated[int | None, typer.Option("--weight", min=1, max=1000, help="The tenant's share in fair queues.")]
LIMITS = {
    "max_running": Annotated[
        str | None,
        typer.Option(
            "--max-running", metavar="N", help="The most running jobs, over all workers; none removes the limit."
        ),
    ],
    "max_queued": Annotated[
        str | None, typer.Option("--max-queued", metavar="N", help="The most live jobs; none removes the limit.")
    ],
    "max_payload_bytes": Annotated[
        str | None,
        typer.Option("--max-payload-bytes", metavar="N", help="The largest payload of a job; none removes the limit."),
    ],
    "requests_per_minute": Annotated[
        str | None,
        typer.Option(
            "--requests-per-minute",
            metavar="N",
            help="The most requests a minute, in each API process; none removes the limit.",
        ),
    ],
    "queues": Annotated[
        str | None,
        typer.Option(
            "--queues",
            metavar="A,B",
            help="The queues that the tenant may choose beside each definition's own, with commas; none: no others.",
        ),
    ],
    "most_urgent_priority": Annotated[
        str | None,
        typer.Option(
            "--most-urgent-priority",
            metavar="N",
            help="The most urgent priority that the tenant may choose (lower runs first); none: the definition's own.",
        ),
    ],
}
OWN = "the definition's own"
COLUMNS = [
    Column("name", lambda tenant: tenant["name"], elastic=True),
    Column("title", lambda tenant: tenant["title"], elastic=True),
    Column("state", lambda tenant: pause_words(tenant["pause"]) if tenant["paused"] else "open", elastic=True),
    Column("max running", lambda tenant: tenant["limits"]["max_running"], right=True),
    Column("max queued", lambda tenant: tenant["limits"]["max_queued"], right=True),
    Column("max payload", lambda tenant: _size(tenant["limits"]["max_payload_bytes"]), right=True),
    Column("requests/min", lambda tenant: tenant["limits"]["requests_per_minute"], right=True),
    Column("queues", lambda tenant: ",".join(tenant["limits"]["queues"]), elastic=True, spare=True),
    Column("most urgent", lambda tenant: tenant["limits"]["most_urgent_priority"], right=True, spare=True),
    Column("age", lambda tenant: ago(tenant["created_at"]), right=True),
]


@app.command("list")
@speaks_to_api
async def list_command(call: Call, *, limit: Limit = 50, everything: All = False) -> None:
    """List tenants by name. Example: headrace tenants list"""
    async with call.api() as api:
        call.show.table([t async for t in api.items("/admin/tenants", limit=how_many(limit, everything))], COLUMNS)


@app.command("show")
@speaks_to_api
async def show_command(call: Call, name: Name) -> None:
    """Show one tenant with its limits. Example: headrace tenants show default"""
    async with call.api() as api:
        _show(call, await api.get(f"/admin/tenants/{quote(name, safe='')}"))


@app.command("create")
@speaks_to_api
@with_options("limits", LIMITS)
async def create_command(
    call: Call,
    name: Name,
    title: Title = None,
    weight: Weight = None,
    *,
    limits: dict[str, str],
) -> None:
    """Create a tenant. Example: headrace tenants create acme --title 'Acme Ltd' --max-queued 10000"""
    async with call.api() as api:
        made = await api.post("/admin/tenants", {"name": name, **_body(title, weight, limits)})
        call.show.said(f"created tenant {made['name']}", made)


@app.command("update")
@speaks_to_api
@with_options("limits", LIMITS)
async def update_command(
    call: Call,
    name: Name,
    title: Title = None,
    weight: Weight = None,
    *,
    limits: dict[str, str],
) -> None:
    """Change a tenant's title or limits; other settings stay.

    Example: headrace tenants update default --max-queued none
    """
    body = _body(title, weight, limits)
    if not body:
        raise BadRequest("nothing to change: give --title, --weight or a limit, for example --max-running")
    async with call.api() as api:
        _show(call, await api.patch(f"/admin/tenants/{quote(name, safe='')}", body))


def _body(title: str | None, weight: int | None, limits: Mapping[str, str | None]) -> dict[str, Any]:
    """What was said of a tenant."""
    said = {limit: _value(limit, value) for limit, value in limits.items() if value is not None}
    body = {"title": title, "weight": weight, "limits": said or None}
    return {field: value for field, value in body.items() if value is not None}


def _value(limit: str, value: str) -> int | list[str] | None:
    if limit == "queues":
        return [] if value == "none" else [name.strip() for name in value.split(",")]
    return whole_or_none(value, f"--{limit.replace('_', '-')}")


@app.command("pause")
@speaks_to_api
async def pause_command(call: Call, name: Name, note: Note = "", until: Until = None) -> None:
    """Stop claims of the tenant's jobs; running jobs continue, and enqueues are accepted.

    Example: headrace tenants pause default --note 'bill not paid'
    """
    async with call.api() as api:
        await pause(call, api, f"/admin/tenants/{quote(name, safe='')}", f"tenant {name}", note, until)


@app.command("resume")
@speaks_to_api
async def resume_command(call: Call, name: Name) -> None:
    """Resume claims of the tenant's jobs. Example: headrace tenants resume default"""
    async with call.api() as api:
        resumed = await api.post(f"/admin/tenants/{quote(name, safe='')}/resume")
        call.show.said(f"tenant {name} is resumed", resumed)


def _show(call: Call, tenant: dict[str, Any]) -> None:
    limits = tenant["limits"]
    rows = [
        ("name", tenant["name"]),
        ("title", tenant["title"]),
        ("state", pause_words(tenant["pause"]) if tenant["paused"] else "open"),
        ("weight", tenant["weight"]),
        ("max running", _limit_words(limits["max_running"])),
        ("max queued", _limit_words(limits["max_queued"])),
        ("max payload", _limit_words(_size(limits["max_payload_bytes"]))),
        ("requests a minute", _limit_words(limits["requests_per_minute"])),
        ("queues", ", ".join([OWN, *limits["queues"]])),
        ("most urgent priority", OWN if limits["most_urgent_priority"] is None else limits["most_urgent_priority"]),
        ("made", when(tenant["created_at"])),
    ]
    call.show.item(tenant, rows)


def _limit_words(value: object) -> object:
    return "no limit" if value is None else value


def _size(value: int | None) -> str | None:
    if value is None:
        return None
    return f"{value / 1024:g} KB" if value >= 1024 else f"{value} B"
