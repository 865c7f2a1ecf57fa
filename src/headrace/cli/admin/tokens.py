"""`headrace tokens`: who may use the API."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.durations import ahead
from headrace.cli.core.options import Yes, confirm
from headrace.cli.output.tables import Column, ago
from headrace.errors import BadRequest, NotFound

if TYPE_CHECKING:
    from headrace.cli.core.api import Api

app = typer.Typer(help="Create, list and revoke tokens of the API.", no_args_is_help=True)
Role = Literal["super_admin", "tenant_admin", "tenant_viewer", "worker", "metrics"]
STATES = {"good": "green", "revoked": "dim", "expired": "red"}
COLUMNS = [
    Column("id", lambda token: token["id"], narrow=lambda token: token["id"][:8]),
    Column("name", lambda token: token["name"], elastic=True),
    Column("role", lambda token: token["role"]),
    Column("tenant", lambda token: token["tenant"]),
    Column("state", lambda token: _state(token)),
    Column("expires", lambda token: _expires(token), right=True),
    Column("used", lambda token: ago(token["last_used_at"]), right=True),
    Column("age", lambda token: ago(token["created_at"]), right=True, spare=True),
    Column("queues", lambda token: ",".join(token["queues"]), elastic=True, spare=True),
    Column("by", lambda token: token["created_by"], elastic=True, spare=True),
]


@app.command("list")
@speaks_to_api
async def list_command(
    call: Call,
    good: Annotated[bool, typer.Option("--good", help="Only valid tokens.")] = False,
) -> None:
    """List tokens, newest first. Example: headrace tokens list --good"""
    async with call.api() as api:
        tokens = await _all(api)
        call.show.table([token for token in tokens if not good or _state(token) == "good"], COLUMNS)


@app.command("create")
@speaks_to_api
async def create_command(
    call: Call,
    name: Annotated[str, typer.Argument(help="The name of the token: its owner or purpose.")],
    role: Annotated[Role, typer.Option("--role", help="The role of the token.")],
    queues: Annotated[
        str | None, typer.Option("--queues", help="For a worker's token: its queues, separated by commas.")
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option("--expires", help="When the token expires: after 30d, or at a time; never when absent."),
    ] = None,
) -> None:
    """Create a token and show it once. A tenant's role needs --tenant.

    Example: headrace tokens create ci --role worker --expires 30d
    """
    of_tenant = role.startswith("tenant_")
    if of_tenant and call.tenant is None:
        raise BadRequest(f"a {role} token belongs to one tenant: name the tenant with --tenant")
    body = {
        "name": name,
        "role": role,
        "tenant": call.tenant if of_tenant else None,
        "queues": _queues(queues),
        **_end(expires),
    }
    call.tenant = None  # it says whose the token is, and not on whose behalf it is made
    async with call.api() as api:
        made = await api.post("/admin/tokens", {key: value for key, value in body.items() if value is not None})
    if call.as_json:
        call.show.json(made)
        return
    call.show.note(made["token"])
    sys.stdout.flush()
    ends = f". The token expires at {made['expires_at']}" if made["expires_at"] else ""
    print(f"The token is shown only now: store it{ends}.", file=sys.stderr)  # noqa: T201


@app.command("revoke")
@speaks_to_api
async def revoke_command(
    call: Call,
    which: Annotated[
        str, typer.Argument(metavar="ID_OR_NAME", help="The token's id, a prefix of the id, or its name.")
    ],
    yes: Yes = False,
) -> None:
    """Revoke a token. Example: headrace tokens revoke ci --yes"""
    async with call.api() as api:
        found = _find(await _all(api), which)
        confirm(f"Revoke the {found['role']} token {found['name']!r} ({found['id']})?", yes=yes)
        revoked = await api.delete(f"/admin/tokens/{found['id']}")
        call.show.said(f"revoked token {revoked['name']} ({revoked['id']})", revoked)


async def _all(api: Api) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await api.get("/admin/tokens"))["items"]
    return items


def _find(tokens: list[dict[str, Any]], wanted: str) -> dict[str, Any]:
    """By id or the beginning of one; by name among those that are good."""
    found = [token for token in tokens if token["id"].startswith(wanted.lower())] if len(wanted) >= 4 else []
    found = found or [token for token in tokens if token["name"] == wanted and token["revoked_at"] is None]
    if not found:
        raise NotFound(f"unknown token {wanted!r}: see headrace tokens list")
    if len(found) > 1:
        raise BadRequest(f"{len(found)} tokens match {wanted!r}: give the id, see headrace tokens list")
    return found[0]


def _queues(text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise BadRequest("--queues has names of queues, separated by commas")
    return names


def _end(text: str | None) -> dict[str, object]:
    if text is not None and text.strip().isdecimal():
        raise BadRequest(f"--expires needs a unit, for example {text.strip()}d, or a time like 2030-01-31T12:00Z")
    return ahead(text, "expires", "--expires")


def _state(token: dict[str, Any] | Any) -> str:
    if token["revoked_at"] is not None:
        return "revoked"
    return "expired" if token["expired"] else "good"


def _expires(token: dict[str, Any] | Any) -> str:
    return "never" if token["expires_at"] is None else ago(token["expires_at"])
