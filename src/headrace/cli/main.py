"""`headrace`: the command line's root. Commands are loaded when they are called, so that help is quick."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from headrace.cli.core.errors import plain_errors, show_tracebacks
from headrace.version import __version__

HELP = "A job control plane on PostgreSQL: a durable queue, a scheduler, workers and an API in one package."

# name, where it is, what it is for. In the order of the help.
COMMANDS: dict[str, tuple[str, str]] = {
    "dev": ("headrace.cli.process.dev:dev", "Run everything in one process, to try it or to develop."),
    "serve": ("headrace.cli.process.serve:serve", "Serve the API, and fire triggers."),
    "worker": ("headrace.cli.process.worker:worker", "Run jobs."),
    "jobs": ("headrace.cli.jobs.group:app", "List, show, enqueue, retry, cancel and follow jobs."),
    "schedules": ("headrace.cli.triggers.schedules:app", "Manage triggers by time."),
    "triggers": ("headrace.cli.triggers.group:app", "Manage triggers of any kind."),
    "events": ("headrace.cli.events:app", "Emit events, and list events and their deliveries."),
    "definitions": ("headrace.cli.definitions.group:app", "Manage definitions: what can be run."),
    "workers": ("headrace.cli.admin.workers:app", "List and drain workers."),
    "queues": ("headrace.cli.admin.queues:app", "List, pause and change queues."),
    "alerts": ("headrace.cli.alerts.group:app", "Manage alerts, their rules and their targets."),
    "logs": ("headrace.cli.logs.group:app", "Search and follow the log lines of jobs."),
    "stats": ("headrace.cli.admin.stats:stats", "Show how many jobs wait, run and end."),
    "top": ("headrace.cli.top:top", "Show a live view of queues, workers and running jobs."),
    "retention": ("headrace.cli.admin.retention:app", "Show and apply retention."),
    "tenants": ("headrace.cli.admin.tenants:app", "Manage tenants."),
    "tokens": ("headrace.cli.admin.tokens:app", "Manage tokens of the API."),
    "audit": ("headrace.cli.admin.audit:app", "Show who changed what."),
    "commands": ("headrace.cli.admin.commands:app", "Check the commands that jobs may run here."),
    "config": ("headrace.cli.admin.config:app", "Show, change and check the configuration."),
    "db": ("headrace.cli.admin.db:app", "Manage the database: migrations, status, psql."),
    "doctor": ("headrace.cli.doctor:doctor", "Look for problems, and recommend actions."),
    "sign-in": ("headrace.cli.admin.sign_in_link:sign_in", "Print a link that signs in to the dashboard."),
    "login": ("headrace.cli.admin.login:login", "Store a token for a server."),
    "logout": ("headrace.cli.admin.login:logout", "Remove the stored token of a server."),
}


class LazyGroup(TyperGroup):
    """Knows its commands by name, and imports the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """For the help, which needs no more than a name and a sentence."""
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name][1]) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The one that is called."""
        if args and args[0] in COMMANDS:
            return args[0], load(args[0]), args[1:]
        return super().resolve_command(ctx, args)


def load(name: str) -> Any:
    """The command itself."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if not isinstance(found, typer.Typer):
        single = typer.Typer(add_completion=False)
        single.command(name)(found)
        found = single
    found._add_completion = False  # the root has it
    found.rich_markup_mode = None  # plain help: Rich and its Markdown would take longer than all the rest
    command = get_command(found)
    command.name = name
    return command


app = typer.Typer(
    name="headrace",
    help=HELP,
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"headrace {__version__}")
        raise typer.Exit


@app.callback(help=HELP)
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """The root."""
    if debug:
        show_tracebacks()


def main(arguments: list[str] | None = None) -> None:
    """The entry point: errors become one line and an exit code."""
    with plain_errors():
        code = app(arguments, standalone_mode=False, prog_name="headrace")
        raise SystemExit(code if isinstance(code, int) else 0)
