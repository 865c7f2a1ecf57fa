"""Processes that do not own the schema: each works with one role, and says who must act where that is not enough."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import httpx
import pytest
from tests.api.served import serve
from tests.app.shop import make_shop
from tests.cli.calling import Shell
from tests.engine import Engine
from tests.logins import as_login
from tests.waiting import PATIENCE, until
from tests.worker.settings import settings_for

from headrace import Headrace, Principal
from headrace.api.app import create_app
from headrace.app.serve.serve import serving
from headrace.db.connect import Endpoint
from headrace.db.database import Database
from headrace.db.embedded import EmbeddedServer
from headrace.db.migrate import migrate
from headrace.db.roles import ROLES, list_roles, missing_statements
from headrace.errors import DatabaseUnusable
from headrace.service.doctor.roles import database_roles, tenant_role

JOBS = """
from headrace import Headrace

hr = Headrace(app="shop")


@hr.job
async def add(x: int, y: int = 0) -> int:
    return x + y
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "jobs.py").write_text(JOBS)
    return tmp_path


async def test_an_application_a_worker_and_a_server_each_work_with_one_role(engine: Engine, folder: Path) -> None:
    url = engine.endpoint.url
    worker = Shell(folder, HEADRACE_DATABASE_URL=as_login(url, "headrace_worker")).start("worker", "jobs:hr")
    (folder / "serve").mkdir()
    shell = Shell(folder / "serve", HEADRACE_DATABASE_URL=as_login(url, "headrace_server"))
    tokens = {
        role: (await asyncio.to_thread(shell.call, *("tokens", "create", role, "--role", role, *more))).out.strip()
        for role, more in {"tenant_admin": ("--tenant", "default"), "metrics": ()}.items()
    }
    try:
        async with (
            serve(as_login(url, "headrace_server"), folder / "serve", tokens["tenant_admin"]) as server,
            make_shop(as_login(url, "headrace_app")) as hr,
            server.client() as client,
        ):
            await until_declared(engine, "add")
            own = await asyncpg.connect(as_login(url, "headrace_app"))
            async with own.transaction():
                job_id = await hr.enqueue("add", {"x": 1, "y": 2}, connection=own)
                await hr.emit("added", connection=own)
            await own.close()
            assert (await hr.wait(job_id, timeout=PATIENCE)).result == 3
            assert (await client.get(f"/api/v1/jobs/{job_id}")).json()["status"] == "succeeded"
            made = await client.post("/api/v1/jobs", json={"definition": "add", "payload": {"x": 4}})
            assert (await hr.wait(made.json()["id"], timeout=PATIENCE)).result == 4
            metrics = await client.get("/metrics", headers={"Authorization": f"Bearer {tokens['metrics']}"})
            assert metrics.status_code == 200
    finally:
        worker.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(worker.wait, PATIENCE) == 0
    assert "Traceback" not in (folder / "said.log").read_text()


async def until_declared(engine: Engine, key: str) -> None:
    declared = "select exists (select from headrace.definition where key = $1)"
    await until("the worker has declared its jobs", lambda: engine.db.fetchval(declared, key))


async def test_a_process_that_does_not_own_the_schema_says_who_must_migrate(engine: Engine) -> None:
    url = engine.endpoint.url
    await engine.db.execute("update headrace.function_file set checksum = '' where name = 'enqueue'")
    try:
        for role in ("headrace_app", "headrace_worker", "headrace_server"):
            with pytest.raises(DatabaseUnusable, match='run `headrace db migrate` as the owner, "headrace"'):
                await open_and_close(as_login(url, role))
    finally:
        await migrate(engine.endpoint)
    with pytest.raises(DatabaseUnusable, match="may not use the schema headrace of"):
        await open_and_close(as_login(url, "headrace_metrics"))


async def open_and_close(url: str) -> None:
    database = await Database.open(url=url, data_dir=Path("/nowhere"))
    await database.close()


@pytest.fixture
def cluster() -> Iterator[str]:
    """A server of its own, on which nobody has made the roles: they are the whole server's."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        Path(place).chmod(0o755)
        with EmbeddedServer.start(Path(place) / "server") as server:
            yield server.url


@pytest.fixture
async def administrator(cluster: str) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    connection = await asyncpg.connect(cluster)
    yield connection
    await connection.close()


async def test_an_owner_who_may_make_no_roles_is_told_what_an_administrator_runs(
    cluster: str, administrator: asyncpg.Connection[asyncpg.Record]
) -> None:
    await administrator.execute("create role shop login; grant create on database headrace to shop")
    url = cluster.replace("headrace@", "shop@", 1)
    hr = Headrace(app="shop")
    hr._settings = settings_for(url)
    cure = r"cannot .* tenant.* let an administrator run what `headrace db roles --print` prints"
    async with hr:
        with pytest.raises(DatabaseUnusable, match=cure):
            async with serving(hr):
                pass
        app = create_app(hr, identify=lambda _request: Principal("ann", "tenant_admin", "default"))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop.test") as client:
            answer = await client.get("/api/v1/jobs")
            assert (answer.status_code, answer.json()["code"]) == (503, "database_unusable")
            assert "headrace db roles --print" in answer.json()["detail"]
        async with hr.database.pool.acquire() as conn:
            found = [*await tenant_role(conn), *await database_roles(conn)]
            assert [(one.state, "headrace db roles --print" in (one.do or "")) for one in found] == [
                ("fail", True),
                ("warn", True),
            ]
            lines = await missing_statements(conn)
        await administrator.execute("".join(lines))
        await migrate(Endpoint(url))
        async with hr.database.pool.acquire() as conn:
            assert [role.name for role in await list_roles(conn) if role.ready] == list(ROLES)
            assert await missing_statements(conn) == []
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop.test") as client:
            assert (await client.get("/api/v1/jobs")).status_code == 200
        await app.stop()


async def test_an_owner_who_may_make_roles_serves_tenants_without_an_administrator(
    cluster: str, administrator: asyncpg.Connection[asyncpg.Record]
) -> None:
    await administrator.execute("create role shop login createrole; grant create on database headrace to shop")
    hr = Headrace(app="shop")
    hr._settings = settings_for(cluster.replace("headrace@", "shop@", 1))
    async with hr:
        async with hr.database.pool.acquire() as conn:
            assert await missing_statements(conn) == []
        jobs = hr.control.as_(Principal("ann", "tenant_admin", "default")).jobs
        assert (await jobs.list()).items == []
