"""Numbered plain-SQL migrations, up and down, each in one transaction with its record. Then functions by checksum."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import asyncpg

from headrace.db.connect import Connection, Endpoint
from headrace.db.function_files import FunctionFile, read_function_files, replace_changed, replace_one
from headrace.db.statements import statements
from headrace.errors import DatabaseAway, DatabaseUnusable
from headrace.log import get_logger

SQL = statements(__file__)
FOLDER = Path(__file__).parent / "schema"
# Seconds that a step waits for a table, try by try. At first it gives way before the server looks for a deadlock: live
# work does not fail. The later tries get a table from sessions that hold it for longer.
LOCK_SECONDS = (0.2, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0, 10.0)
T = TypeVar("T")

log = get_logger("headrace.db")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema."""

    number: int
    name: str
    up: str
    down: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.up.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Applied:
    """A step that a database has taken."""

    number: int
    name: str
    checksum: str


def read_migrations(folder: Path = FOLDER) -> list[Migration]:
    """All steps, in order."""
    found = []
    for up in sorted(folder.glob("*.up.sql")):
        number, _, name = up.name.removesuffix(".up.sql").partition("_")
        down = up.with_name(up.name.replace(".up.sql", ".down.sql"))
        found.append(Migration(int(number), name, up.read_text("utf-8"), down.read_text("utf-8")))
    return found


class Migrated(NamedTuple):
    """What a migration did: the steps taken, and the names of the function files replaced."""

    steps: list[Migration]
    replaced: list[str]


async def migrate(
    endpoint: Endpoint,
    migrations: Sequence[Migration] | None = None,
    functions: Sequence[FunctionFile] | None = None,
) -> Migrated:
    """Take every step that is missing, and replace the functions that have changed."""
    known = read_migrations() if migrations is None else migrations
    files = read_function_files() if functions is None else functions
    done = Migrated([], [])
    async with _connected(endpoint) as connection:
        while True:
            step, replaced, later = await _giving_way(partial(_take_step, connection, known, files))
            done.replaced.extend(file.name for file in replaced)
            if step is not None:
                done.steps.append(step)
            if step is None or step is known[-1]:
                break
        for file in later:
            await _giving_way(partial(_replace, connection, known, file))
            done.replaced.append(file.name)
    return done


async def rollback(
    endpoint: Endpoint, *, steps: int = 1, migrations: Sequence[Migration] | None = None
) -> list[Migration]:
    """Take back the newest steps; gives back those undone, newest first."""
    known = read_migrations() if migrations is None else migrations
    undone: list[Migration] = []
    async with _connected(endpoint) as connection:
        while len(undone) < steps:
            step = await _giving_way(partial(_undo_step, connection, known))
            if step is None:
                break
            undone.append(step)
    return undone


async def _take_step(
    connection: Connection, known: Sequence[Migration], files: Sequence[FunctionFile], waits: float
) -> tuple[Migration | None, list[FunctionFile], list[FunctionFile]]:
    """Take the next step, if one is missing. The last one brings the functions: both are seen at the same moment."""
    async with _step(connection, known, waits) as applied:
        step = known[applied] if applied < len(known) else None
        if step is not None:
            await connection.execute(step.up)
            await connection.execute(SQL["record_step"], step.number, step.name, step.checksum)
        if not known or applied < len(known) - 1:
            return step, [], []
        return step, *await replace_changed(connection, files, new=applied == 0, stepped=step is not None)


async def _replace(connection: Connection, known: Sequence[Migration], file: FunctionFile, waits: float) -> None:
    async with _step(connection, known, waits):
        await replace_one(connection, file)


async def _undo_step(connection: Connection, known: Sequence[Migration], waits: float) -> Migration | None:
    async with _step(connection, known, waits) as applied:
        if applied == 0:
            return None
        step = known[applied - 1]
        await connection.execute(step.down)
        await connection.execute(SQL["forget_step"], step.number)
    return step


async def _giving_way(take: Callable[[float], Awaitable[T]]) -> T:
    """Live work takes locks in its own order. A step that gives way to it left nothing behind, and is tried again."""
    for tried, waits in enumerate(LOCK_SECONDS, 1):
        try:
            return await take(waits)
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError, asyncpg.SerializationError) as error:
            log.warning("migration postponed by live work", tried=tried, error=str(error))
            await asyncio.sleep(random.uniform(0.05, 0.2) * tried)  # noqa: S311 - no secret
    raise DatabaseAway("other sessions hold the tables that the migration changes. Try again when there is less work.")


async def applied_migrations(endpoint: Endpoint) -> list[Applied]:
    """The steps that the database has taken; none when it was never migrated."""
    connection = await endpoint.connect("migrate")
    try:
        if not await connection.fetchval(SQL["has_history"]):
            return []
        return await applied_steps(connection)
    finally:
        await connection.close()


def refuse_foreign_history(applied: Sequence[Applied], known: Sequence[Migration]) -> None:
    """Raise when the database took other steps than this version knows."""
    for place, (step, record) in enumerate(zip(known, applied, strict=False)):
        if (step.number, step.checksum) == (record.number, record.checksum):
            continue
        if place == 0:
            raise DatabaseUnusable(
                f"the database was made with another baseline, {record.number:04} ({record.name}), and no migration "
                "leads from that one to this version's. Use the version that made the database, or make the database "
                "anew, which deletes all its jobs: headrace db psql -c 'drop schema headrace cascade', "
                "then headrace db migrate."
            )
        raise DatabaseUnusable(
            f"migration {record.number:04} ({record.name}) was applied with another content than this version's. "
            "Restore the file, or the database from a backup."
        )
    if len(applied) > len(known):
        newest = applied[-1]
        raise DatabaseUnusable(
            f"the database has migration {newest.number:04} ({newest.name}), which this version does not know. "
            "It was migrated by a newer Headrace: upgrade this one."
        )


@asynccontextmanager
async def _connected(endpoint: Endpoint) -> AsyncIterator[Connection]:
    connection = await endpoint.connect("migrate")
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def _step(connection: Connection, known: Sequence[Migration], waits: float) -> AsyncIterator[int]:
    """One transaction, alone, that knows how many steps were taken.

    The lock is the transaction's and not the session's: it goes with the process however that ends, and it holds
    behind a transaction pooler too. A second process waits for it, then finds the step taken.
    """
    async with connection.transaction():
        try:
            await connection.execute(SQL["be_patient"])
            # Even "if not exists" asks for the right to create schemas, which the owner of a restored schema may lack.
            if not await connection.fetchval(SQL["has_history"]):
                await _prepare_history(connection)
            await connection.execute(SQL["take_lock"])
        except asyncpg.LockNotAvailableError:
            raise DatabaseAway(
                "another process is migrating this database and has not finished in time. Try again."
            ) from None
        await connection.execute(SQL["limit_waits"], waits)
        applied = await applied_steps(connection)
        refuse_foreign_history(applied, known)
        yield len(applied)


async def _prepare_history(connection: Connection) -> None:
    try:
        async with connection.transaction():
            await connection.execute(SQL["prepare_history"])
    except (asyncpg.UniqueViolationError, asyncpg.DuplicateObjectError, asyncpg.DuplicateTableError):
        return  # another process made the same at the same time, and has committed it
    except asyncpg.InsufficientPrivilegeError as error:
        raise DatabaseUnusable(
            f"the schema headrace cannot be made: {error}. Log in as the owner of the database, "
            "or let an administrator run: GRANT CREATE ON DATABASE … TO …"
        ) from None


async def applied_steps(connection: Connection) -> list[Applied]:
    """The steps that a database with a history has taken, in order."""
    return [Applied(*row) for row in await connection.fetch(SQL["list_steps"])]
