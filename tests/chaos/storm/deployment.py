"""PostgreSQL, proxies before it, and the processes of Headrace around them, in a folder of their own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
from tests.api.served import free_port
from tests.chaos.storm.plan import BEHIND_PROXY
from tests.chaos.storm.proxy.http import HttpProxy
from tests.chaos.storm.proxy.postgres import PostgresProxy
from tests.chaos.storm.residents import Resident
from tests.chaos.storm.truth import FILE
from tests.chaos.world.server import OwnServer
from tests.waiting import until

from headrace import Headrace
from headrace.db.connect import Endpoint, OwnConnection
from headrace.db.embedded.initialise import ROLE
from headrace.db.embedded.launch import DATABASE
from headrace.db.embedded.roles import SQL_ROLE
from headrace.db.migrate import migrate
from headrace.service import Service

LEASE = 5.0
APP = "tests.chaos.storm.app:hr"
SCRIPT = """
for what in started finished; do
  echo "$what $HEADRACE_JOB_ID $HEADRACE_RUN $STORM_PROCESS 0" >> "$1"
done
"""
COMMANDS = """
[commands.storm-command]
argv = ["/bin/sh", "{script}", "{truth}"]
max_attempts = 1000
pass_env = ["STORM_PROCESS"]
[commands.storm-command.args]
type = "object"
properties = { token = { type = "string" } }
required = ["token"]
"""
SQL_JOB = """
create table public.storm_sql (token text not null);
create function public.storm_sql(payload jsonb) returns jsonb language plpgsql as $$
begin
  insert into storm_sql values (payload ->> 'token');
  perform pg_sleep(0.02);
  return jsonb_build_object('success', true, 'message', 'noted');
end $$;
grant execute on function public.storm_sql(jsonb) to headrace_sql;
grant insert on public.storm_sql to headrace_sql;
select headrace.define_sql_job('storm-sql', 'public.storm_sql(jsonb)', max_attempts => 1000);
"""


class Deployment:
    """All that runs, by the names that the plan calls them."""

    def __init__(self, folder: Path, server: OwnServer) -> None:
        self.folder = folder
        self.server = server
        self.lease = LEASE
        self.proxies: dict[str, PostgresProxy] = {}
        self.port = free_port()
        self.http = HttpProxy(self.port)
        self.token = ""
        self.residents: dict[str, Resident] = {}
        self._common = {
            "HEADRACE_JOBS_LEASE_DURATION_S": f"{LEASE:g}",
            "HEADRACE_JOBS_WORKER_CONCURRENCY": "8",
            "HEADRACE_LOGS_LEVEL": "warning",
        }
        # Whoever stops or changes the database as a whole does so alone.
        self.database = asyncio.Lock()

    def url(self, place: str, role: str = ROLE) -> str:
        """PostgreSQL, by way of somebody's proxy."""
        return f"postgresql://{role}@/{DATABASE}?host={self.proxies[place].folder}&port=5432"

    async def connect(self, name: str = "storm", *, timeout: float | None = None) -> OwnConnection:
        """Straight to PostgreSQL, as an administrator."""
        return await Endpoint(self.server.url).connect(name, command_timeout=timeout)

    async def open(self) -> None:
        """Up to the moment in which all of them work."""
        await migrate(Endpoint(self.server.url))
        connection = await self.connect()
        await connection.execute(SQL_JOB)
        await connection.close()
        socket = Path(parse_qs(urlsplit(self.server.url).query)["host"][0]) / ".s.PGSQL.5432"
        for place in BEHIND_PROXY:
            self.proxies[place] = PostgresProxy(self.folder / place, socket)
            await self.proxies[place].start()
        await self.http.start()
        script, file = self.folder / "note.sh", self.folder / "headrace.toml"
        script.write_text(SCRIPT)
        file.write_text(COMMANDS.replace("{script}", str(script)).replace("{truth}", str(self.folder / "truth")))
        hr = Headrace(self.server.url, self.folder / "none", app="storm")
        async with hr:
            self.token = (await Service(hr).tokens.create("storm", "super_admin")).token
            worker_token = (await Service(hr).tokens.create("worker", "worker")).token
        self._settle()
        await until("the definitions are there", self._knows_all)
        await until("the server answers", self.serves)
        over_http = {"HEADRACE_URL": self.http.url, "HEADRACE_TOKEN": worker_token}
        self._add("h0", ["worker", APP], {**self._common, **over_http, "HEADRACE_DATA_DIR": str(self.folder / "none")})
        await until("all workers are live", self.all_work)

    def _settle(self) -> None:
        common = self._common
        for place in ("w0", "w1"):
            urls = {"HEADRACE_DATABASE_URL": self.url(place), "HEADRACE_SQL_DATABASE_URL": self.url(place, SQL_ROLE)}
            self._add(place, ["worker", APP], {**common, **urls})
        self._add("embedded", ["worker", APP], {**common, "HEADRACE_DATA_DIR": str(self.folder / "pg")})
        self._add(
            "server", ["serve", "--port", str(self.port)], {**common, "HEADRACE_DATABASE_URL": self.url("server")}
        )

    def _add(self, place: str, command: list[str], environ: dict[str, str]) -> None:
        self.residents[place] = Resident(place, self.folder, command, environ)
        self.residents[place].start()

    async def _knows_all(self) -> bool:
        return await self._asks("select count(*) > 3 from headrace.definition")

    async def serves(self) -> bool:
        try:
            async with httpx.AsyncClient() as client:
                return (await client.get(f"{self.http.url}/api/v1/jobs")).status_code == 401
        except httpx.HTTPError:
            return False

    async def all_work(self) -> bool:
        """Whether the server answers and as many workers are live as there should be."""
        if not await self.serves():
            return False
        return await self._asks("select count(*) = 4 from headrace.worker where state = 'live'")

    async def _asks(self, question: str) -> bool:
        connection = await self.connect()
        try:
            return bool(await connection.fetchval(question))
        finally:
            await connection.close()

    async def leave(self) -> list[str]:
        """Ask all to stop; the names of those that did not, or not in order."""
        for resident in self.residents.values():
            resident.thaw()
            resident.start_again_if_it_ended()
            resident.ask_to_leave()
        waits = [asyncio.to_thread(resident.gone) for resident in self.residents.values()]
        in_order = await asyncio.gather(*waits)
        return [
            f"{r.life.name}: {r.end_of_log()}"
            for r, good in zip(self.residents.values(), in_order, strict=True)
            if not good
        ]

    async def close(self) -> None:
        """Whatever happened, nothing of it stays."""
        for resident in self.residents.values():
            resident.thaw()
            if resident.is_up():
                resident.kill()
        for resident in self.residents.values():
            await asyncio.to_thread(resident.gone, 10)
        await asyncio.gather(self.http.close(), *(proxy.close() for proxy in self.proxies.values()))


@asynccontextmanager
async def settled(folder: Path) -> AsyncIterator[Deployment]:
    """A deployment in which all work, gone after the block."""
    os.environ[FILE] = str(folder / "truth")
    (folder / "truth").touch()
    (folder / "truth").chmod(0o666)
    server = await asyncio.to_thread(OwnServer, folder / "pg")
    deployment = Deployment(folder, server)
    try:
        await deployment.open()
        yield deployment
    finally:
        await deployment.close()
        await asyncio.to_thread(server.close)
        del os.environ[FILE]
