"""`headrace tenants`: whose jobs there are."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from headrace.cli.call import Call, speaks_to_api
from headrace.cli.options import All, Limit, how_many
from headrace.cli.show import Column, ago, when
from headrace.errors import BadRequest

app = typer.Typer(help="Whose jobs there are, and what each may have.", no_args_is_help=True)
Slug = Annotated[str, typer.Argument(metavar="SLUG", help="How the tenant is addressed, such as acme.")]
Name = Annotated[str | None, typer.Option("--name", help="What people read.")]
MaxQueued = Annotated[
    str | None, typer.Option("--max-queued", metavar="N", help="Jobs that are not ended yet; none lifts the limit.")
]
MaxPayload = Annotated[
    str | None, typer.Option("--max-payload-bytes", metavar="N", help="Size of a job's payload; none lifts the limit.")
]
Requests = Annotated[
    str | None,
    typer.Option("--requests-per-minute", metavar="N", help="Of all its tokens, in each API process; none lifts it."),
]
COLUMNS = [
    Column("slug", lambda tenant: tenant["slug"], elastic=True),
    Column("name", lambda tenant: tenant["name"], elastic=True),
    Column("max queued", lambda tenant: tenant["limits"]["max_queued"], right=True),
    Column("max payload", lambda tenant: _size(tenant["limits"]["max_payload_bytes"]), right=True),
    Column("requests/min", lambda tenant: tenant["limits"]["requests_per_minute"], right=True),
    Column("age", lambda tenant: ago(tenant["created_at"]), right=True),
]


@app.command("list")
@speaks_to_api
async def list_command(call: Call, *, limit: Limit = 50, everything: All = False) -> None:
    """Tenants by slug. Example: headrace tenants list"""
    async with call.api() as api:
        call.show.table([t async for t in api.items("/admin/tenants", limit=how_many(limit, everything))], COLUMNS)


@app.command("show")
@speaks_to_api
async def show_command(call: Call, slug: Slug) -> None:
    """One tenant with its limits. Example: headrace tenants show default"""
    async with call.api() as api:
        _show(call, await api.get(f"/admin/tenants/{quote(slug, safe='')}"))


@app.command("create")
@speaks_to_api
async def create_command(
    call: Call,
    slug: Slug,
    name: Name = None,
    max_queued: MaxQueued = None,
    max_payload_bytes: MaxPayload = None,
    requests_per_minute: Requests = None,
) -> None:
    """Make a tenant. Example: headrace tenants create acme --name 'Acme Ltd' --max-queued 10000"""
    limits = _limits(max_queued, max_payload_bytes, requests_per_minute)
    body = {"slug": slug, "limits": limits, **({"name": name} if name is not None else {})}
    async with call.api() as api:
        made = await api.post("/admin/tenants", body)
        call.show.said(f"made tenant {made['slug']}", made)


@app.command("update")
@speaks_to_api
async def update_command(
    call: Call,
    slug: Slug,
    name: Name = None,
    max_queued: MaxQueued = None,
    max_payload_bytes: MaxPayload = None,
    requests_per_minute: Requests = None,
) -> None:
    """Change a tenant's name or limits; what is not said stays.

    Example: headrace tenants update default --max-queued none
    """
    limits = _limits(max_queued, max_payload_bytes, requests_per_minute)
    body = {**({"name": name} if name is not None else {}), **({"limits": limits} if limits else {})}
    if not body:
        raise BadRequest("nothing to change: give --name, --max-queued, --max-payload-bytes or --requests-per-minute")
    async with call.api() as api:
        _show(call, await api.patch(f"/admin/tenants/{quote(slug, safe='')}", body))


def _limits(max_queued: str | None, max_payload_bytes: str | None, requests_per_minute: str | None) -> dict[str, Any]:
    said = {
        "max_queued": max_queued,
        "max_payload_bytes": max_payload_bytes,
        "requests_per_minute": requests_per_minute,
    }
    return {name: _limit(name, value) for name, value in said.items() if value is not None}


def _limit(name: str, value: str) -> int | None:
    if value.lower() == "none":
        return None
    if not value.isdecimal():
        raise BadRequest(f"--{name.replace('_', '-')} is a whole number, or none to lift the limit, not {value!r}")
    return int(value)


def _show(call: Call, tenant: dict[str, Any]) -> None:
    limits = tenant["limits"]
    rows = [
        ("slug", tenant["slug"]),
        ("name", tenant["name"]),
        ("max queued", _limit_words(limits["max_queued"])),
        ("max payload", _limit_words(_size(limits["max_payload_bytes"]))),
        ("requests a minute", _limit_words(limits["requests_per_minute"])),
        ("made", when(tenant["created_at"])),
    ]
    call.show.item(tenant, rows)


def _limit_words(value: object) -> object:
    return "no limit" if value is None else value


def _size(value: int | None) -> str | None:
    if value is None:
        return None
    return f"{value / 1024:g} KB" if value >= 1024 else f"{value} B"
