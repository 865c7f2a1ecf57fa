"""The command line in this process, over the tour's jobs and a worker that runs them: quick, but else as in a shell."""

from __future__ import annotations

import asyncio
import io
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock
from uuid import UUID

from tests.api.served import free_port
from tests.cli.calling import Said
from tests.waiting import until
from tests.worker.running import set_up, working

from headrace import Headrace
from headrace.app.serve.serve import serving
from headrace.cli.main import main
from headrace.cli.process.dev import load_tour
from headrace.config import ServerSettings
from headrace.service import Service

MODES = ("database", "server")


class Cli:
    """Calls commands, each as if from a fresh shell with these variables."""

    def __init__(self, hr: Headrace, folder: Path, variables: Mapping[str, str]) -> None:
        self.hr, self.folder, self.variables = hr, folder, variables

    async def __call__(self, *arguments: str, stdin: str = "", **variables: str) -> Said:
        """How the call ended."""
        return await asyncio.to_thread(self._call, list(arguments), stdin, variables)

    async def ok(self, *arguments: str, **how: str) -> str:
        """What it said, which must have been done without a complaint."""
        said = await self(*arguments, **how)
        assert (said.code, said.err) == (0, ""), said
        return said.out

    async def json(self, *arguments: str, **how: str) -> list[Any]:
        """The objects that it said, one a line."""
        return [json.loads(line) for line in (await self.ok(*arguments, "--json", **how)).splitlines()]

    async def one(self, *arguments: str, **how: str) -> Any:
        """The one object that it said."""
        (only,) = await self.json(*arguments, **how)
        return only

    async def refused(self, *arguments: str, code: int = 2, **how: str) -> str:
        """The one line of a complaint."""
        said = await self(*arguments, **how)
        assert (said.code, said.out) == (code, ""), said
        (line,) = said.err.splitlines()
        assert line.startswith("headrace: ")
        return line

    async def enqueue(self, definition: str, **payload: Any) -> str:
        """A job's id."""
        return str(await self.hr.enqueue(definition, payload))

    async def ended(self, definition: str, **payload: Any) -> str:
        """The id of a job that has ended."""
        job_id = await self.enqueue(definition, **payload)
        service = Service(self.hr)

        async def has_ended() -> bool:
            return (await service.jobs.get(UUID(job_id))).status.is_final

        await until(f"{definition} has ended", has_ended)
        return job_id

    async def count(self) -> int:
        """How many jobs there are."""
        async with self.hr.database.pool.acquire() as conn:
            return int(await conn.fetchval("select count(*) from headrace.job"))

    def _call(self, arguments: list[str], stdin: str, variables: Mapping[str, str]) -> Said:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HEADRACE_")}
        environ = {**kept, "COLUMNS": "200", "NO_COLOR": "1", **self.variables, **variables}
        out, err, code = io.StringIO(), io.StringIO(), 0
        with (
            mock.patch.dict(os.environ, environ, clear=True),
            mock.patch("sys.stdin", io.StringIO(stdin)),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            try:
                main(arguments)
            except SystemExit as end:
                code = int(end.code or 0)
        return Said(code, out.getvalue(), err.getvalue())


@asynccontextmanager
async def touring(mode: str, database_url: str, folder: Path) -> AsyncIterator[Cli]:
    """The tour with a worker, and the command line over its database or over its server."""
    hr = set_up(load_tour().hr, database_url)
    hr._settings = hr.settings.model_copy(update={"server": ServerSettings(port=free_port())})
    async with working(hr):
        if mode == "database":
            yield Cli(hr, folder, {"HEADRACE_DATABASE_URL": database_url})
            return
        token = (await Service(hr).tokens.create("test", "super_admin")).token
        async with serving(hr) as url:
            yield Cli(hr, folder, {"HEADRACE_URL": url, "HEADRACE_TOKEN": token})
