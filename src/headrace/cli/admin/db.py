"""`headrace db`: the schema and the server."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer

from headrace.cli.core.config_option import ConfigFile
from headrace.cli.output.tables import clean
from headrace.config import load_settings
from headrace.db.compare import Schema, applied_schema, find_difference, known_schema, shortened
from headrace.db.database import Database
from headrace.db.hosts import take_password
from headrace.db.migrate import migrate, rollback
from headrace.db.roles import ROLES, example_statements, list_roles, missing_statements
from headrace.db.upkeep import health_warnings
from headrace.errors import NotFound
from headrace.triggers.health import trigger_warnings

app = typer.Typer(help="Manage the database: migrations, status, psql.", no_args_is_help=True)
DataDir = Annotated[Path | None, typer.Option(help="Folder of the embedded PostgreSQL.")]


@app.command("migrate")
def migrate_command(data_dir: DataDir = None, config: ConfigFile = None) -> None:
    """Apply missing migrations, and replace changed functions. Example: headrace db migrate"""

    async def work() -> None:
        async with _opened(data_dir) as database:
            done = await migrate(database.endpoint)
            for step in done.steps:
                typer.echo(f"applied {step.number:04} {step.name}")
            if done.replaced:
                typer.echo(f"applied functions: {shortened(done.replaced)}")
            if not done.steps and not done.replaced:
                typer.echo("nothing to do: the schema is up to date")

    asyncio.run(work())


@app.command("rollback")
def rollback_command(
    steps: Annotated[int, typer.Option(min=1, help="How many migrations to roll back.")] = 1,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    data_dir: DataDir = None,
    config: ConfigFile = None,
) -> None:
    """Roll back the newest migrations and DELETE their data. Example: headrace db rollback --steps 1 --yes"""
    if not yes:
        typer.confirm(f"Roll back {steps} migration(s) and delete their data?", abort=True)

    async def work() -> None:
        async with _opened(data_dir) as database:
            for step in await rollback(database.endpoint, steps=steps):
                typer.echo(f"rolled back {step.number:04} {step.name}")

    asyncio.run(work())


@app.command("status")
def status_command(data_dir: DataDir = None, config: ConfigFile = None) -> None:
    """Show the server, each migration, the function files and problems. Example: headrace db status"""

    async def work() -> None:
        async with _opened(data_dir) as database:
            typer.echo(f"PostgreSQL {database.report.version} ({'embedded' if database.embedded else 'yours'})")
            async with database.pool.acquire() as conn:
                applied, known = await applied_schema(conn), known_schema()
                for line in _schema_lines(applied, known):
                    typer.echo(clean(line))
                if find_difference(applied, known) is None:
                    for warning in [*await health_warnings(conn), *await trigger_warnings(conn)]:
                        typer.echo(f"warning: {clean(warning)}")

    asyncio.run(work())


def _schema_lines(applied: Schema, known: Schema) -> Iterator[str]:
    here, ours = ({step.number: step for step in schema.steps} for schema in (applied, known))
    for number in sorted(here.keys() | ours.keys()):
        if number not in here:
            state = "missing"
        elif number not in ours:
            state = "not known to this version"
        else:
            state = "applied" if here[number].checksum == ours[number].checksum else "applied with another content"
        yield f"{number:04} {(here.get(number) or ours[number]).name:<20} {state}"
    stale = [name for name, checksum in known.functions.items() if applied.functions.get(name) != checksum]
    state = f"{len(stale)} of {len(known.functions)} differ: {shortened(stale)}" if stale else "applied"
    yield f"{'function files':<25} {state}"


@app.command("roles")
def roles_command(
    print_: Annotated[
        bool, typer.Option("--print", help="Print the SQL that an administrator runs, and do nothing else.")
    ] = False,
    data_dir: DataDir = None,
    config: ConfigFile = None,
) -> None:
    """Show the database's roles and who holds them, or print what makes them. Example: headrace db roles --print"""

    async def work() -> None:
        async with _opened(data_dir) as database, database.pool.acquire() as conn:
            if not print_:
                for role in await list_roles(conn):
                    state = "ready" if role.ready else "without rights" if role.exists else "missing"
                    typer.echo(f"{role.name:<20} {state:<15} {', '.join(role.logins) or '-':<20} {ROLES[role.name]}")
                return
            typer.echo("-- As a superuser, or a login with CREATEROLE. Roles belong to the whole server.")
            for line in await missing_statements(conn) or ["-- Nothing is missing."]:
                typer.echo(line)
            typer.echo("-- Then, as the owner of the schema, whom new rights need: headrace db migrate")
            typer.echo("-- Then a login for each process, for example:")
            for line in await example_statements(conn):
                typer.echo(f"--   {line}")

    asyncio.run(work())


@app.command("url")
def url_command(data_dir: DataDir = None, config: ConfigFile = None) -> None:
    """Print the address of the database. Example: headrace db url"""

    async def work() -> None:
        async with _opened(data_dir) as database:
            typer.echo(database.endpoint.url)

    asyncio.run(work())


@app.command("psql", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def psql_command(context: typer.Context, data_dir: DataDir = None, config: ConfigFile = None) -> None:
    """Open psql on the database, with further arguments. Example: headrace db psql -c 'table headrace.jobs'"""

    async def work() -> int:
        async with _opened(data_dir) as database:
            psql = database.embedded.bin_dir / "psql" if database.embedded else shutil.which("psql")
            if psql is None:
                raise NotFound("psql is not installed: install PostgreSQL's client programs")
            url, password = take_password(database.endpoint.url)  # arguments are for every user of the machine to see
            environ = {**os.environ, **({} if password is None else {"PGPASSWORD": password})}
            command = [str(psql), url, *context.args]
            return (await asyncio.to_thread(subprocess.run, command, check=False, env=environ)).returncode

    raise typer.Exit(asyncio.run(work()))


@asynccontextmanager
async def _opened(data_dir: Path | None) -> AsyncIterator[Database]:
    settings = load_settings(flags={"data_dir": data_dir})
    where = settings.database
    database = await Database.open(url=where.url, data_dir=settings.data_dir, migrated=False, pooler=where.pooler)
    try:
        yield database
    finally:
        await database.close()
