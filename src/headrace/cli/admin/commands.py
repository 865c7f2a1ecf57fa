"""`headrace commands`: the commands that jobs may run on this machine."""

from __future__ import annotations

import json
import os
import shutil
from typing import Annotated, Any

import typer

from headrace.cli.core.config_option import ConfigFile
from headrace.cli.output.tables import as_json
from headrace.config import Settings, load_settings
from headrace.errors import BadRequest, NotFound
from headrace.worker.run.command_handler import CommandHandler

app = typer.Typer(help="Check the commands that jobs may run on this machine.", no_args_is_help=True)
EXAMPLE = {"tenant": "default", "job_id": "01900000-0000-7000-8000-000000000000", "run": 1, "scheduled_for": ""}
LIMITS = ("memory_mb", "cpu_seconds", "file_size_mb", "open_files", "max_processes")


@app.callback()
def root() -> None:
    """Check the commands that jobs may run on this machine."""


@app.command("check")
def check_command(
    key: Annotated[str | None, typer.Argument(help="Check this command only; all when absent.")] = None,
    payload: Annotated[str | None, typer.Option(help="A payload as JSON, to show its argv.")] = None,
    config: ConfigFile = None,
) -> None:
    """Show program, user and limits of each command, and the problems that prevent a run here.

    Example: headrace commands check sync-dropbox --payload '{"path_prefix": "/a"}'
    """
    settings = load_settings()
    commands = settings.commands
    if key is not None and key not in commands:
        raise NotFound(f"unknown command {key!r}; known commands: {', '.join(sorted(commands)) or 'none'}")
    arguments = _payload(payload)
    failed = False
    for name in [key] if key is not None else sorted(commands):
        failed |= not _check(name, CommandHandler(name, commands[name]), arguments, _server_uid(settings))
    if not commands:
        typer.echo("no commands: headrace.toml has no table [commands.…]")
    if failed:
        raise typer.Exit(1)


def _server_uid(settings: Settings) -> int | None:
    """Of the embedded server that a worker here would use, or that lies here."""
    if not any(command.user for command in settings.commands.values()):
        return None
    from headrace.db.embedded.account import server_uid

    elsewhere = settings.database.url is not None or "HEADRACE_URL" in os.environ
    return server_uid(settings.data_dir, starts=not elsewhere)


def _payload(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise BadRequest(f"--payload is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadRequest("--payload must be a JSON object")
    return value


def _check(name: str, command: CommandHandler, payload: dict[str, Any] | None, server_uid: int | None) -> bool:
    settings = command.settings
    program = str(settings.argv[0])
    limits = ", ".join(
        f"{limit} {getattr(settings, limit)}" for limit in LIMITS if getattr(settings, limit) is not None
    )
    typer.echo(f"{name}")
    typer.echo(f"  program  {shutil.which(program) or program}")
    typer.echo(f"  user     {settings.user or f'this one ({os.getuid()})'}")
    typer.echo(f"  limits   {limits or 'none'}")
    typer.echo(f"  argv     {command.argv_hash}")
    problems = command.problems(server_uid=server_uid)
    if payload is not None:
        try:
            typer.echo(f"  would run {as_json(command.argv_for(payload, EXAMPLE))}")
        except BadRequest as error:
            problems.append(str(error))
    for warning in command.warnings():
        typer.echo(f"  warning: {warning}")
    for problem in problems:
        typer.echo(f"  problem: {problem}", err=True)
    return not problems
