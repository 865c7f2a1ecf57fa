"""`headrace definitions`: what can be run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headrace.cli.core.api import Api
from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.completion import definition_keys
from headrace.cli.core.config_option import ConfigFile
from headrace.cli.core.errors import NotAllowed
from headrace.cli.core.options import All, Limit, System, how_many
from headrace.cli.core.pausing import Note, Until, pause
from headrace.cli.definitions.find import checked_key
from headrace.cli.definitions.options import read_settings
from headrace.cli.definitions.tables import COLUMNS, definition_rows
from headrace.model.settings.options import DefinitionChanges

if TYPE_CHECKING:
    from headrace.define.sync import SyncReport

SETTINGS = ", ".join(name.removesuffix("_seconds") for name in DefinitionChanges.__annotations__)
SET_HELP = f"""Change settings, from now on and in every worker. A sync from code keeps these changes.

Settings: {SETTINGS}. A rate limit may be written as 10/s, and tenants as acme,globex.

Example: headrace definitions set say_hello priority=10 timeout=30s
"""
app = typer.Typer(help="Manage definitions: what can be run.", no_args_is_help=True)
Key = Annotated[str, typer.Argument(metavar="KEY", help="The key of the definition.", autocompletion=definition_keys)]


@app.command("list")
@speaks_to_api
async def list_definitions(call: Call, limit: Limit = 100, everything: All = False, system: System = False) -> None:
    """List definitions by key. Only super-admins see settings and workers.

    Example: headrace definitions list
    """
    async with call.api() as api:
        try:
            asked = api.items(
                "/admin/jobs/definitions", limit=how_many(limit, everything), include_system=system or None
            )
            found = [one async for one in asked]
        except NotAllowed:
            found = [one async for one in api.items("/definitions", limit=how_many(limit, everything))]
    call.show.table(found, COLUMNS, empty="no definitions: run headrace definitions sync MODULE:NAME, or a worker")


@app.command("show")
@speaks_to_api
async def show_definition(call: Call, key: Key) -> None:
    """Show one definition: arguments, settings, and statistics.

    Example: headrace definitions show say_hello
    """
    async with call.api() as api:
        try:
            found = await api.get(_path(key))
        except NotAllowed:
            found = await api.get(f"/definitions/{checked_key(key)}")
    call.show.item(found, definition_rows(found))


@app.command("enable")
@speaks_to_api
async def enable(call: Call, key: Key) -> None:
    """Accept new jobs again, and run waiting ones.

    Example: headrace definitions enable say_hello
    """
    async with call.api() as api:
        await _change(call, api, key, {"enabled": True})


@app.command("disable")
@speaks_to_api
async def disable(call: Call, key: Key) -> None:
    """Reject new jobs and hold queued ones. To keep accepting jobs, pause the definition.

    Example: headrace definitions disable say_hello
    """
    async with call.api() as api:
        await _change(call, api, key, {"enabled": False})


@app.command("set", help=SET_HELP)
@speaks_to_api
async def set_settings(
    call: Call,
    key: Key,
    settings: Annotated[list[str], typer.Argument(metavar="NAME=VALUE…", help="Settings to change.")],
) -> None:
    """Change settings."""
    changes = read_settings(settings)
    async with call.api() as api:
        await _change(call, api, key, changes)


@app.command("pause")
@speaks_to_api
async def pause_definition(call: Call, key: Key, note: Note = "", until: Until = None) -> None:
    """Stop claims of the definition's jobs; running jobs continue, and enqueues are accepted.

    Example: headrace definitions pause say_hello --note 'provider is down' --until 2h
    """
    async with call.api() as api:
        await pause(call, api, _path(key), f"definition {key}", note, until)


@app.command("resume")
@speaks_to_api
async def resume_definition(call: Call, key: Key) -> None:
    """Resume claims of the definition's jobs.

    Example: headrace definitions resume say_hello
    """
    async with call.api() as api:
        resumed = await api.post(f"{_path(key)}/resume")
        call.show.said(f"definition {key} is resumed", resumed)


@app.command("sync")
def sync_command(
    target: Annotated[str, typer.Argument(metavar="MODULE:NAME", help="The Headrace object, for example app:hr.")],
    force: Annotated[bool, typer.Option("--force", help="Reset operators' changes to the values in code.")] = False,
    take_from: Annotated[
        str | None,
        typer.Option("--take-from", metavar="APP", help="Move definitions from this app to the app of this code."),
    ] = None,
    config: ConfigFile = None,
) -> None:
    """Sync the definitions and triggers in code to the database.

    A key belongs to one app. --take-from moves keys here, from another app or from this app's former name.

    Example: headrace definitions sync shop.jobs:hr
    """
    from headrace.cli.core.load_app import load_app

    async def work() -> None:
        hr = load_app(target)
        # Not `async with hr`, which would sync what is new before we can tell of it.
        database = await hr.open_database()
        try:
            report = await hr.registry.sync(database, app=hr.app, force=force, complete=True, take_from=take_from)
        finally:
            await database.close()
        for word, keys in _words(report):
            for key in keys:
                typer.echo(f"{word:<8} {key}")
        if not report and not report.kept:
            typer.echo("nothing to do: the database has all declarations")

    asyncio.run(work())


def _words(report: SyncReport) -> list[tuple[str, list[str]]]:
    changed = [("added", report.added), ("changed", report.changed)]
    return [*changed, ("deleted", report.deleted_from_code), ("kept", report.kept)]


async def _change(call: Call, api: Api, key: str, changes: dict[str, Any]) -> None:
    changed = await api.patch(_path(key), changes)
    said = ", ".join(f"{name} {_shown(changed[name])}" for name in changes)
    call.show.said(f"{changed['key']}  {said}", changed)


def _shown(value: Any) -> str:
    from headrace.cli.output.tables import text

    if isinstance(value, list):
        return ", ".join(value)
    return "none" if value is None else text(value)


def _path(key: str) -> str:
    return f"/admin/jobs/definitions/{checked_key(key)}"
