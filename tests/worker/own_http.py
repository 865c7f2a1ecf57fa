"""A Headrace server of a test's own, as a process that can be killed, frozen and started again."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from tests.environ import bare_environ
from tests.waiting import wait_until


class OwnHttpServer:
    """`headrace serve` on a port that stays the same."""

    def __init__(self, database_url: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self._environ = bare_environ(HEADRACE_DATABASE_URL=database_url)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it answers."""
        command = [sys.executable, "-m", "headrace", "serve", "--port", str(self._port)]
        self._process = subprocess.Popen(command, env=self._environ, stderr=subprocess.DEVNULL)
        wait_until("the server answers", self._answers)

    def kill(self) -> None:
        """End at once, in the middle of whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def freeze(self) -> None:
        """It keeps its connections, and answers no more."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "the server ended"
        try:
            httpx.get(self.url)
        except httpx.TransportError:
            return False
        return True


@contextmanager
def own_http_server(database_url: str) -> Iterator[OwnHttpServer]:
    """Running within the block."""
    server = OwnHttpServer(database_url)
    try:
        server.start()
        yield server
    finally:
        server.kill()
