"""`headrace config`: the configuration, where it comes from, and what is wrong with it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from headrace.cli.admin.config_file import change, template, write
from headrace.cli.output.tables import Column, Show
from headrace.config import explain_settings, field_of, keys, load_settings, masked, settings_file, variable
from headrace.config.sources import FILE
from headrace.errors import BadRequest, Conflict, NotFound

app = typer.Typer(help="Show, change and check the configuration.", no_args_is_help=True)
Config = Annotated[Path | None, typer.Option("--config", help="The configuration file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON; for lists one line for each item.")]
Key = Annotated[str, typer.Argument(metavar="KEY", help="The setting, for example jobs.worker_concurrency.")]
COLUMNS = [
    Column("key", lambda row: row["key"]),
    Column("value", lambda row: _written(row["value"]), elastic=True),
    Column("from", lambda row: row["source"], elastic=True),
]


@app.command("show")
def show_command(
    changed: Annotated[bool, typer.Option("--changed", help="Only settings that differ from the default.")] = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Show every setting and the source of its value; secrets are masked. Example: headrace config show --changed"""
    rows = [row for row in _rows(config) if not changed or row["source"] != "default"]
    Show(as_json=as_json).table(rows, COLUMNS, empty="every setting has its default")


@app.command("get")
def get_command(
    key: Key,
    reveal: Annotated[bool, typer.Option("--reveal", help="Show secrets without masks.")] = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Print the value of one setting. Example: headrace config get jobs.worker_concurrency"""
    path = _path(key)
    settings, _ = explain_settings(file=config)
    value = _plain(_value(settings, path))
    value = value if reveal else masked(path, value)
    if as_json:
        Show(as_json=True).json(value)
    elif value is not None:
        typer.echo(_written(value))


@app.command("set")
def set_command(
    key: Key,
    value: Annotated[str, typer.Argument(help="The new value; separate the items of a list by commas.")],
    config: Config = None,
) -> None:
    """Change one setting in the file; comments and order stay.

    Example: headrace config set jobs.worker_concurrency 8
    """
    path = _path(key)
    file = settings_file(config) or Path(FILE)
    written = change(file, path, value)
    typer.echo(f"{key} = {_written(masked(path, written))} in {file}")
    if variable(path) in os.environ:
        print(f"headrace: {variable(path)} is set in the environment and overrides the file", file=sys.stderr)  # noqa: T201


@app.command("init")
def init_command(
    file: Annotated[Path, typer.Argument(help="The file to write.")] = Path(FILE),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a file with every setting, its default and its help. Example: headrace config init"""
    if file.exists() and not force:
        raise Conflict(f"{file} exists: choose another name, or overwrite the file with --force")
    write(file, template())
    typer.echo(f"wrote {file}: every setting with its default; remove the # before a setting that you change")


@app.command("check")
def check_command(config: Config = None) -> None:
    """List all problems of the configuration; exit 2 if there are any.

    Example: headrace config check
    """
    settings = load_settings(file=config)
    file = settings_file(config)
    commands = f" and {len(settings.commands)} commands" if settings.commands else ""
    typer.echo(f"the configuration is valid: {len(list(keys()))} settings{commands}, {file or 'without a file'}")


def _rows(file: Path | None) -> list[dict[str, Any]]:
    settings, sources = explain_settings(file=file)
    paths = [*keys(), *(("commands", key) for key in settings.commands)]
    return [
        {
            "key": ".".join(path),
            "value": masked(path, _plain(_value(settings, path))),
            "source": sources[path].where() if path in sources else "default",
        }
        for path in paths
    ]


def _path(key: str) -> tuple[str, ...]:
    path = tuple(key.split("."))
    if path in set(keys()):
        return path
    if path[0] == "commands":
        raise BadRequest("commands are tables of the file: edit the file, then run headrace commands check")
    if field_of(path) is not None or path == ("",):
        inside = ", ".join(".".join(known) for known in keys() if known[: len(path)] == path)
        raise NotFound(f"{key} is a table: name one of {inside}")
    from difflib import get_close_matches

    near = get_close_matches(key, [".".join(known) for known in keys()], 1)
    raise NotFound(f"unknown setting {key}" + (f"; did you mean {near[0]}?" if near else ": see headrace config show"))


def _value(settings: Any, path: tuple[str, ...]) -> Any:
    found = settings
    for part in path:
        found = found[part] if isinstance(found, dict) else getattr(found, part)
    return found


def _plain(value: Any) -> Any:
    """As JSON has it."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def _written(value: Any) -> Any:
    """As people write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return value
