"""`headrace serve` in a process of its own."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from tests.cli.calling import Shell
from tests.waiting import PATIENCE, until


class Served:
    """A `headrace serve` of its own process."""

    def __init__(self, url: str, pid: int, token: str) -> None:
        self.url, self.pid, self.token = url, pid, token

    def client(self) -> httpx.AsyncClient:
        """With a good token."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=PATIENCE)

    def memory(self) -> float:
        """The most memory that it ever had, in MB."""
        status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


@asynccontextmanager
async def serve(database_url: str, folder: Path, token: str) -> AsyncIterator[Served]:
    """A server beside the block, which then ends in order and without a traceback."""
    port = free_port()
    process = Shell(folder, HEADRACE_DATABASE_URL=database_url).start("serve", "--port", str(port))
    url = f"http://127.0.0.1:{port}"
    try:

        async def answers() -> bool:
            assert process.poll() is None, (folder / "said.log").read_text()
            try:
                async with httpx.AsyncClient() as client:
                    return (await client.get(f"{url}/api/v1/jobs")).status_code == 401
            except httpx.HTTPError:
                return False

        await until("the server answers", answers)
        yield Served(url, process.pid, token)
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0, (folder / "said.log").read_text()
    assert "Traceback" not in (folder / "said.log").read_text()


def free_port() -> int:
    """One that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port
