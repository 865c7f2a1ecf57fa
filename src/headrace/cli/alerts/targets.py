"""`headrace alerts targets`, and `headrace alerts test`: where notices go."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from headrace.cli.alerts.find import find_target
from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.durations import duration
from headrace.cli.core.options import All, Limit, Yes, confirm, how_many
from headrace.cli.output.tables import Column, ago, when
from headrace.errors import BadRequest, Conflict

if TYPE_CHECKING:
    from headrace.cli.core.api import Api

app = typer.Typer(help="Manage the targets of notices.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The target's name, its id, or a part of the id.")]
Kind = Literal["webhook", "email", "command"]
Signing = Literal["keep", "off", "new"]
COLUMNS = [
    Column("id", lambda target: target["id"], narrow=lambda target: target["id"][:8]),
    Column("name", lambda target: target["name"], elastic=True),
    Column("tenant", lambda target: target["tenant"] or "all"),
    Column("kind", lambda target: target["kind"]),
    Column("address", lambda target: target["address"], elastic=True),
    Column("signed", lambda target: target["signed"]),
    Column("age", lambda target: ago(target["created_at"]), right=True, spare=True),
]
PAUSE = 0.25


@app.command("list")
@speaks_to_api
async def list_command(call: Call, limit: Limit = 50, everything: All = False) -> None:
    """List targets by name. Example: headrace alerts targets list"""
    async with call.api() as api:
        items = api.items("/alerts/targets", limit=how_many(limit, everything))
        call.show.table([target async for target in items], COLUMNS, empty="no targets")


@app.command("show")
@speaks_to_api
async def show_command(call: Call, name: Name) -> None:
    """Show one target. Example: headrace alerts targets show people"""
    async with call.api() as api:
        target = await find_target(api, name)
        rows = [(key, target[key]) for key in ("id", "name", "kind", "address", "signed")]
        made = f"{when(target['created_at'])} by {target['created_by']}"
        call.show.item(target, [*rows, ("tenant", target["tenant"] or "all"), ("made", made)])


@app.command("create")
@speaks_to_api
async def create_command(
    call: Call,
    name: Annotated[str, typer.Argument(help="The name of the target.")],
    kind: Annotated[Kind, typer.Argument(help="How notices are sent.")],
    address: Annotated[str, typer.Argument(help="A URL, e-mail addresses separated by commas, or a command's key.")],
    unsigned: Annotated[bool, typer.Option("--unsigned", help="Send the webhook without a signature.")] = False,
) -> None:
    """Create a target; the key of a webhook's signature is shown once.

    Example: headrace alerts targets create people email ann@example.com,bob@example.com
    """
    async with call.api() as api:
        body = {"name": name, "kind": kind, "address": address, "sign": not unsigned}
        _show_made(call, f"created target {name}", await api.post("/alerts/targets", body))


@app.command("update")
@speaks_to_api
async def update_command(
    call: Call,
    name: Name,
    rename: Annotated[str | None, typer.Option("--name", help="The new name.")] = None,
    address: Annotated[str | None, typer.Option("--address", help="The new address.")] = None,
    signing: Annotated[
        Signing, typer.Option("--signing", help="Keep the key of the signature, remove the key, or make a new one.")
    ] = "keep",
) -> None:
    """Change a target. Example: headrace alerts targets update people --address ann@example.com"""
    if rename is None and address is None and signing == "keep":
        raise BadRequest("nothing to change: give --name, --address or --signing")
    said = {"name": rename, "address": address, "signing": signing}
    async with call.api() as api:
        target = await find_target(api, name)
        body = {key: value for key, value in said.items() if value is not None}
        _show_made(call, f"changed target {name}", await api.patch(f"/alerts/targets/{target['id']}", body))


@app.command("delete")
@speaks_to_api
async def delete_command(call: Call, name: Name, yes: Yes = False) -> None:
    """Delete a target; refused while a rule uses it. Example: headrace alerts targets delete people --yes"""
    async with call.api() as api:
        target = await find_target(api, name)
        confirm(f"Delete the alert target {target['name']!r}?", yes=yes)
        await api.delete(f"/alerts/targets/{target['id']}")
        call.show.said(f"deleted target {target['name']}", target)


@speaks_to_api
async def try_out(
    call: Call,
    name: Name,
    wait: Annotated[str, typer.Option("--wait", help="How long to wait for the response; 0 is not at all.")] = "30s",
) -> None:
    """Send a test notice to a target. Example: headrace alerts test people --wait 0"""
    patience = duration(wait, "--wait")
    async with call.api() as api:
        target = await find_target(api, name)
        sent = await api.post(f"/alerts/targets/{target['id']}/test")
        tried = await _wait(api, sent["notice_id"], patience) if patience else None
    if tried is None:
        look = f"headrace alerts deliveries --notice {sent['notice_id']}"
        call.show.said(f"a test notice to {target['name']} was enqueued: {look}", sent)
    elif tried["error"] is not None:
        raise Conflict(f"the test notice did not reach {target['name']}: {tried['error']}")
    else:
        call.show.said(f"the test notice reached {target['name']}", tried)


async def _wait(api: Api, notice_id: str, patience: float) -> dict[str, Any] | None:
    """The first attempt to send it, if there is one in time."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        page = await api.get("/alerts/deliveries", notice_id=notice_id)
        if page["items"]:
            first: dict[str, Any] = page["items"][-1]
            return first
        await asyncio.sleep(PAUSE)
    return None


def _show_made(call: Call, words: str, made: dict[str, Any]) -> None:
    call.show.said(words, made)
    if made["key"] is not None and not call.as_json:
        sys.stdout.flush()
        print(f"The key of the signature, shown once: {made['key']}", file=sys.stderr)  # noqa: T201
