"""No lock that Headrace waits for can be held by a stranger, such as a function of a SQL job."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
from tests.engine import Engine
from tests.waiting import PATIENCE

import headrace
from headrace.db.connect import Connection, Endpoint
from headrace.db.migrate import migrate
from headrace.define.sync import sync_definitions
from headrace.model.definition import Definition

PACKAGE = Path(headrace.__file__).parent
ADVISORY = re.compile(r"pg_(?:try_)?advisory_\w+")
# The keys that Headrace has ever used: a stranger may know all of them.
NAMES = ("migrate", "definitions", "partitions", "log_partitions", "gates")
LOCKED = re.compile(r"lock table headrace\.(\w+)")


def sources() -> list[Path]:
    return [path for path in PACKAGE.rglob("*") if path.suffix in {".sql", ".py"}]


def test_headrace_takes_no_advisory_lock_which_any_session_of_the_server_could_hold() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}: {name}" for path in sources() for name in ADVISORY.findall(path.read_text())
    ]
    assert found == []


@pytest.fixture
async def stranger(connection: Connection, database_url: str) -> AsyncIterator[Connection]:
    """A login with the rights that one for SQL jobs has: none on schema headrace."""
    role = f"stranger_{uuid4().hex[:12]}"
    await connection.execute(f"create role {role} login")
    found = await asyncpg.connect(database_url.replace("headrace@", f"{role}@"))
    yield found
    found.terminate()
    await connection.execute(f"drop owned by {role}; drop role {role}")


async def test_a_stranger_who_holds_every_key_stops_nothing(
    database_url: str, connection: Connection, stranger: Connection
) -> None:
    await stranger.execute("begin")
    for name in NAMES:
        await stranger.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", f"headrace.{name}")
    engine = Engine(Endpoint(database_url), connection)
    await engine.define("few", max_concurrency=1)
    await engine.enqueue("few")
    async with asyncio.timeout(PATIENCE):
        await migrate(engine.endpoint)
        await connection.execute("select headrace._create_partitions(), headrace._create_log_partitions()")
        await sync_definitions(connection, [Definition("work")], app="shop")
        gated = await engine.pass_gates(await engine.worker())
    assert len(gated.held) == 1


async def test_neither_a_stranger_nor_a_tenant_can_take_a_lock_that_headrace_takes(
    connection: Connection, stranger: Connection
) -> None:
    tables = {table for path in sources() for table in LOCKED.findall(path.read_text())}
    assert tables >= {"migration", "definition", "partition", "log_partition", "gate_turn"}
    await connection.execute("set role headrace_tenant")
    for who in (stranger, connection):
        for table in tables:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                async with who.transaction():
                    await who.execute(f"lock table headrace.{table} in share update exclusive mode")
    await connection.execute("reset role")
