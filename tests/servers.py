"""The PostgreSQL servers of a test run, shared by all its processes."""

from __future__ import annotations

import asyncio
import fcntl
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
from tests.logins import statements as login_statements
from tests.wiping import leave, leave_all, remember_shape, wipe

from headrace.db.connect import Endpoint
from headrace.db.embedded import EmbeddedServer
from headrace.db.embedded.binaries import Install
from headrace.db.embedded.conf import NAMES_ALL_ROLES
from headrace.db.migrate import migrate

DEBIAN = Path("/usr/lib/postgresql")
TEMPLATE = "migrated"


_free: dict[str, list[str]] = {}


def versions() -> list[str]:
    """18 is always here; Debian's 15 where it is installed."""
    return ["18", *(["15"] if (DEBIAN / "15" / "bin" / "postgres").exists() else [])]


@dataclass(frozen=True)
class TestServer:
    """A running server, with a migrated database to copy."""

    __test__ = False

    url: str
    major: str

    def url_of(self, database: str) -> str:
        parts = urlsplit(self.url)
        return urlunsplit(parts._replace(path=f"/{database}"))

    @asynccontextmanager
    async def database(self, *, template: str = TEMPLATE, fresh: bool = False) -> AsyncIterator[str]:
        """A database of one's own for the block. Copies cost half a second, so what can be wiped is used again."""
        free = [] if fresh or template != TEMPLATE else _free.setdefault(self.url, [])
        name = free.pop() if free else await self._copy(template)
        try:
            yield self.url_of(name)
        finally:
            if template == TEMPLATE and not fresh and wipe(self.url_of(name)):
                free.append(name)
            else:
                leave(self.url_of(name))
                await self._execute(f'drop database "{name}" with (force)')

    async def _copy(self, template: str) -> str:
        name = f"test_{uuid.uuid4().hex[:16]}"
        await self._execute(f'create database "{name}" template "{template}"')
        return name

    async def _execute(self, statement: str) -> None:
        connection = await asyncpg.connect(self.url_of("postgres"))
        try:
            await connection.execute(statement)
        finally:
            await connection.close()


@contextmanager
def start_server(major: str, folder: Path) -> Iterator[TestServer]:
    """Share the run's server of that version; the first one here makes its template."""
    install = None if major == "18" else Install(DEBIAN / major, int(major))
    with EmbeddedServer.start(folder / f"pg{major}", install=install) as embedded:
        server = TestServer(embedded.url, major)
        with (folder / f"pg{major}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if int(major) < NAMES_ALL_ROLES:
                asyncio.run(_let_all_roles_in(server))
            asyncio.run(_make_template(server))
        try:
            yield server
        finally:
            leave_all()


async def _let_all_roles_in(server: TestServer) -> None:
    """Tests log in as roles that they make, which a map of an old version cannot say."""
    connection = await asyncpg.connect(server.url_of("postgres"))
    try:
        Path(await connection.fetchval("show hba_file")).write_text("local all all trust\n")
        await connection.execute("select pg_reload_conf()")
    finally:
        await connection.close()


async def _make_template(server: TestServer) -> None:
    connection = await asyncpg.connect(server.url_of("postgres"))
    try:
        if await connection.fetchval("select 1 from pg_database where datname = $1 and datistemplate", TEMPLATE):
            return
        await connection.execute(f'create database "{TEMPLATE}"')
        await migrate(Endpoint(server.url_of(TEMPLATE)))
        await remember_shape(server.url_of(TEMPLATE))
        await connection.execute(login_statements())
        await connection.execute(f'alter database "{TEMPLATE}" with is_template true')
    finally:
        await connection.close()
