"""Running an example in a folder of its own, as two terminals would: a worker in one, psql in the other."""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.cli.calling import Shell
from tests.waiting import PATIENCE, until

from headrace.db.connect import Connection
from headrace.db.embedded.binaries import find_install

EXAMPLES = Path(__file__).parents[2] / "examples"


class Terminals:
    """A copy of an example's folder, so that nothing is left behind in the tree."""

    def __init__(self, name: str, folder: Path, database_url: str, **variables: str) -> None:
        self.folder = Path(shutil.copytree(EXAMPLES / name, folder / name, ignore=shutil.ignore_patterns(".*")))
        path = f"{find_install().bin_dir}:{Path(sys.executable).parent}:/usr/bin:/bin"
        self.shell = Shell(self.folder, HEADRACE_DATABASE_URL=database_url, PATH=path, **variables)

    @asynccontextmanager
    async def worker(self, connection: Connection) -> AsyncIterator[None]:
        """`headrace worker` in the one."""
        process = self.shell.start("worker")
        log = self.folder / "said.log"

        async def is_there() -> bool:
            assert process.poll() is None, log.read_text("utf-8")
            return bool(await connection.fetchval("select exists (select from headrace.worker)"))

        try:
            await until("the worker is there", is_there)
            yield
            process.terminate()
            assert process.wait(PATIENCE) == 0, log.read_text("utf-8")
            assert "Traceback" not in log.read_text("utf-8")
        finally:
            if process.poll() is None:
                process.kill()
                process.wait(PATIENCE)

    def psql(self, file: str) -> str:
        """What `headrace db psql -f file` shows in the other, one row a line, columns apart by a bar."""
        done = self.shell.call("db", "psql", "-qAt", "-v", "ON_ERROR_STOP=1", "-f", file)
        assert done.code == 0, done.err
        return done.out


async def have_ended(connection: Connection, count: int) -> None:
    """Wait until so many jobs have ended and no other is live but those that are to be tried again."""

    async def ended() -> bool:
        live = await connection.fetchval("select count(*) from headrace.queue where status in ('queued', 'running')")
        known = await connection.fetchval("select count(*) from headrace.job")
        return bool(live == 0 and known == count)

    await until(f"{count} jobs have run", ended)
