"""The API in this process, over a database of the test's own, with a caller for each role."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from tests.api.served import Served, serve
from tests.waiting import until
from tests.worker.running import app_on

from headrace import Context, Headrace
from headrace.db.connect import Connection, Endpoint
from headrace.rollups.fold import fold_deltas
from headrace.rollups.sample import sample_queue
from headrace.service import Principal, Role, Service
from headrace.service.jobs.filter import JobFilter
from headrace.service.jobs.service import ALL

TENANTS = ("acme", "globex")


@dataclass(frozen=True)
class Api:
    """An open application behind its API."""

    hr: Headrace
    asgi: Any
    all_jobs: JobFilter = ALL
    url: str = ""

    @property
    def system(self) -> Service:
        """The service without anybody's limits."""
        return Service(self.hr)

    async def token(self, role: Role, tenant: str | None = None, **options: Any) -> str:
        """A new token of that role."""
        return (await self.system.tokens.create(f"{role} of {tenant}", role, tenant=tenant, **options)).token

    def with_token(self, token: str | None, **headers: str) -> httpx.AsyncClient:
        """A client that sends it."""
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        transport = httpx.ASGITransport(self.asgi, raise_app_exceptions=False)
        return httpx.AsyncClient(transport=transport, base_url="http://headrace.test", headers=headers)

    def as_tenant(self, tenant: str) -> Service:
        """The service as a tenant's admin has it."""
        return Service(self.hr, Principal("test", "tenant_admin", tenant))

    async def execute(self, statement: str, *values: Any) -> None:
        """As the owner."""
        async with self.owner() as conn:
            await conn.execute(statement, *values)

    @asynccontextmanager
    async def owner(self) -> AsyncIterator[Connection]:
        """A connection of the schema's owner, whoever serves the API."""
        if self.hr.database.standing.owns:
            async with self.hr.database.pool.acquire() as conn:
                yield conn
            return
        own = await Endpoint(self.url).connect("owner")
        try:
            yield own
        finally:
            await own.close()

    async def set_tenant(self, name: str, **limits: int | list[str]) -> None:
        """Limits of a tenant."""
        for column, value in limits.items():
            await self.execute(f"update headrace.tenant set {column} = $1 where name = $2", value, name)

    async def fold(self) -> None:
        """Count what happened. A worker may fold too, and then this one finds nothing until that has committed."""

        async def folded() -> bool:
            async with self.hr.database.pool.acquire() as conn:
                await fold_deltas(conn)
                return not await conn.fetchval("select exists (select from headrace.rollup_delta)")

        await until("all is folded", folded)

    async def sample_queue(self) -> None:
        """What maintenance does now and then."""
        async with self.hr.database.pool.acquire() as conn:
            await sample_queue(conn)

    async def end(self, job_id: str, status: str) -> None:
        """Let a waiting job have ended so."""
        await self.execute(
            "with gone as (delete from headrace.queue where job_id = $1 returning *)"
            " insert into headrace.attempt (job_id, run, tenant_id, lane_id, outcome, final, spent, finished_at, error)"
            " select job_id, 1, tenant_id, lane_id, (case $2::text when 'dead_letter' then 'failed' else $2::text end)"
            "::headrace.attempt_outcome, $2::text::headrace.job_status, 1, now(), 'Boom: it broke' from gone",
            UUID(job_id),
            status,
        )

    async def wait_a_millisecond(self) -> None:
        """Ids are ordered by milliseconds."""
        await self.execute("select pg_sleep(0.002)")

    async def caller(self, role: Role, tenant: str | None = None, **options: Any) -> httpx.AsyncClient:
        """A client of a role, with a token of its own."""
        return self.with_token(await self.token(role, tenant, **options))


@pytest.fixture
async def api(database_url: str) -> AsyncIterator[Api]:
    """Two tenants, acme and globex, beside the default one; definitions `work` and `greet`."""
    hr = app_on(database_url)

    @hr.job("work")
    async def work() -> None:
        """Does nothing."""

    @hr.job("greet")
    async def greet(name: str, times: int = 1) -> str:
        return f"hello {name}" * times

    @hr.job("hold")
    async def hold(ctx: Context) -> None:
        """Runs until it is told to stop."""
        await asyncio.sleep(3600)

    async with hr:
        async with hr.database.pool.acquire() as conn:
            await conn.executemany("insert into headrace.tenant (name) values ($1)", [(name,) for name in TENANTS])
        yield Api(hr, hr.asgi(), url=database_url)


@pytest.fixture
async def served(api: Api, database_url: str, tmp_path: Path) -> AsyncIterator[Served]:
    """A server in a process of its own, with a token of acme's admin."""
    async with serve(database_url, tmp_path, await api.token("tenant_admin", "acme")) as server:
        yield server


@pytest.fixture
async def admin(api: Api) -> AsyncIterator[httpx.AsyncClient]:
    """A super-admin, of no tenant."""
    async with await api.caller("super_admin") as client:
        yield client


@pytest.fixture
async def acme(api: Api) -> AsyncIterator[httpx.AsyncClient]:
    """The admin of tenant acme."""
    async with await api.caller("tenant_admin", "acme") as client:
        yield client


@pytest.fixture
async def globex(api: Api) -> AsyncIterator[httpx.AsyncClient]:
    """The admin of tenant globex."""
    async with await api.caller("tenant_admin", "globex") as client:
        yield client
