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
    "serve": ("headrace.cli.process.serve:serve", "Serve the API and fire what is scheduled."),
    "worker": ("headrace.cli.process.worker:worker", "Run jobs."),
    "jobs": ("headrace.cli.jobs.group:app", "List, show, enqueue, retry, cancel, follow."),
    "schedules": ("headrace.cli.triggers.schedules:app", "Triggers by time."),
    "triggers": ("headrace.cli.triggers.group:app", "Triggers of any kind."),
    "events": ("headrace.cli.events:app", "Publish events and see what came of them."),
    "definitions": ("headrace.cli.definitions.group:app", "What can be run."),
    "workers": ("headrace.cli.admin.workers:app", "Who runs jobs."),
    "queues": ("headrace.cli.admin.queues:app", "Where jobs wait."),
    "alerts": ("headrace.cli.alerts.group:app", "What is wrong, and who is told."),
    "logs": ("headrace.cli.logs.group:app", "What jobs said."),
    "stats": ("headrace.cli.admin.stats:stats", "How much there is to do and how it goes."),
    "top": ("headrace.cli.top:top", "A live view of everything."),
    "retention": ("headrace.cli.admin.retention:app", "How long history is kept."),
    "tenants": ("headrace.cli.admin.tenants:app", "Whose jobs there are."),
    "tokens": ("headrace.cli.admin.tokens:app", "Who may use the API."),
    "audit": ("headrace.cli.admin.audit:app", "Who changed what."),
    "commands": ("headrace.cli.admin.commands:app", "Programs that jobs may run here."),
    "config": ("headrace.cli.admin.config:app", "The configuration."),
    "db": ("headrace.cli.admin.db:app", "The schema and the server."),
    "doctor": ("headrace.cli.doctor:doctor", "Look for trouble, and say what to do."),
    "login": ("headrace.cli.admin.login:login", "Keep a token for a server."),
    "logout": ("headrace.cli.admin.login:logout", "Forget it."),
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
