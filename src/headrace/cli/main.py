"""`headrace`: the command line's root."""

from __future__ import annotations

from typing import Annotated

import typer

from headrace.cli import commands, db, definitions, dev, serve, worker
from headrace.cli.errors import plain_errors
from headrace.version import __version__

app = typer.Typer(
    name="headrace",
    help="A job control plane on PostgreSQL: a durable queue, workers and schedules in one package.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("dev")(dev.dev)
app.command("worker")(worker.worker)
app.command("serve")(serve.serve)
app.add_typer(db.app, name="db")
app.add_typer(definitions.app, name="definitions")
app.add_typer(commands.app, name="commands")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"headrace {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """A job control plane on PostgreSQL: a durable queue, workers and schedules in one package."""


def main() -> None:
    """The entry point: errors become one line and an exit code."""
    with plain_errors():
        app()
