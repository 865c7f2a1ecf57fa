"""`headrace audit`: who changed what."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.durations import past
from headrace.cli.core.options import All, Limit, how_many
from headrace.cli.output.tables import Column

app = typer.Typer(help="Show who changed what.", no_args_is_help=True)
COLUMNS = [
    Column("at", lambda row: row["at"][:19].replace("T", " "), narrow=lambda row: row["at"][5:19].replace("T", " ")),
    Column("who", lambda row: row["who"], elastic=True),
    Column("did", lambda row: row["action"]),
    Column("tenant", lambda row: row["tenant"], spare=True),
    Column("to", lambda row: row["target"], elastic=True),
    Column("detail", lambda row: ", ".join(f"{k}={v}" for k, v in row["detail"].items()), elastic=True, spare=True),
]


@app.callback()
def root() -> None:
    """Who changed what."""


@app.command("list")
@speaks_to_api
async def list_command(
    call: Call,
    who: Annotated[str | None, typer.Option("--who", help="Only changes by this principal.")] = None,
    action: Annotated[str | None, typer.Option("--action", help="Only this action, for example jobs.cancel.")] = None,
    target: Annotated[str | None, typer.Option("--target", help="Only changes of this id or name.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="Only changes since then: 2h ago, or a time.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Only changes before then: 2h ago, or a time.")] = None,
    limit: Limit = 50,
    everything: All = False,
) -> None:
    """List changes, newest first; times are UTC. Example: headrace audit list --action tokens.change --since 7d"""
    wanted: dict[str, Any] = {
        "who": who,
        "action": action,
        "target": target,
        "tenant": call.tenant,
        "since": None if since is None else past(since, "--since"),
        "until": None if until is None else past(until, "--until"),
    }
    call.tenant = None  # a filter here: the audit is the server's
    async with call.api() as api:
        rows = [row async for row in api.items("/admin/audit", limit=how_many(limit, everything), **wanted)]
        call.show.table(rows, COLUMNS)
