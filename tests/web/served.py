"""One server for each process of a run: the API, a worker and the scheduler, with the test application."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from tests.api.served import free_port
from tests.cli.calling import Shell
from tests.servers import TestServer
from tests.waiting import PATIENCE, wait_until

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"sign in at (\S+#code=\S+)")


class DashboardServer:
    """Where it is, its super-admin's token, its database, and a shell beside it."""

    def __init__(self, url: str, token: str, database_url: str, shell: Shell) -> None:
        self.url, self.token, self.database_url, self.shell = url, token, database_url, shell

    def sign_in_link(self) -> str:
        """What `headrace sign-in` prints."""
        said = self.shell.call("sign-in", self.url)
        assert said.code == 0, said
        return said.out.strip()

    def as_admin(self) -> httpx.Client:
        """The API as a super-admin."""
        return httpx.Client(
            base_url=f"{self.url}/api/v1", headers={"Authorization": f"Bearer {self.token}"}, timeout=PATIENCE
        )


@contextmanager
def serve_dashboard(
    database: TestServer, folder: Path, app: str = "tests.web.world.app:hr", queues: str = "*"
) -> Iterator[DashboardServer]:
    """A server with a database of its own, whose worker serves these queues, until the block ends."""
    with asyncio.Runner() as runner:
        made = database.database(fresh=True)
        database_url = runner.run(made.__aenter__())
        try:
            with _process(database_url, folder, app, queues) as server:
                yield server
        finally:
            runner.run(made.__aexit__(None, None, None))


@contextmanager
def _process(database_url: str, folder: Path, app: str, queues: str) -> Iterator[DashboardServer]:
    shell = Shell(
        folder,
        HEADRACE_DATABASE_URL=database_url,
        HEADRACE_DATA_DIR=str(folder / "data"),
        HEADRACE_BUILTIN_ENABLED="true",  # one of its jobs tells of alerts
        HEADRACE_JOBS_QUEUES=queues,
        HEADRACE_JOBS_SHUTDOWN_TIMEOUT_S="0",  # some jobs never end by themselves, and nobody waits for them
        PYTHONPATH=str(ROOT),
    )
    port, said = free_port(), folder / "said.log"
    process = shell.start("dev", app, "--port", str(port), "--concurrency", "16")
    try:

        def is_up() -> bool:
            assert process.poll() is None, said.read_text()
            return LINK.search(said.read_text()) is not None

        wait_until("the dashboard is served", is_up)
        token = (folder / "data" / "admin-token").read_text().strip()
        yield DashboardServer(f"http://127.0.0.1:{port}", token, database_url, shell)
    finally:
        process.terminate()
        process.wait(PATIENCE)
