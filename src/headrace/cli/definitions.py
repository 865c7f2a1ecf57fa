"""`headrace definitions`: what can be run."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from headrace.cli.load import load_app

app = typer.Typer(help="What can be run.", no_args_is_help=True)


@app.callback()
def root() -> None:
    """What can be run."""


@app.command("sync")
def sync_command(
    target: Annotated[str, typer.Argument(metavar="MODULE:NAME", help="The Headrace object, such as app:hr.")],
    force: Annotated[bool, typer.Option("--force", help="Reset what operators changed to what the code says.")] = False,
) -> None:
    """Tell the database what the code declares. Example: headrace definitions sync shop.jobs:hr"""

    async def work() -> None:
        hr = load_app(target)
        # Not `async with hr`, which would sync what is new before we can tell of it.
        database = await hr.open_database()
        try:
            report = await hr.registry.sync(database, app=hr.app, force=force, complete=True)
        finally:
            await database.close()
        for word, keys in (("added", report.added), ("changed", report.changed), ("gone", report.deleted_from_code)):
            for key in keys:
                typer.echo(f"{word:<8} {key}")
        if not report:
            typer.echo("nothing to do: the database knows what the code declares")

    asyncio.run(work())
