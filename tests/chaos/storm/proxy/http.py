"""An address in front of `headrace serve` that loses requests and answers, and refuses."""

from __future__ import annotations

import asyncio
import contextlib

from tests.chaos.storm.proxy.trap import Traps

CHUNK = 65536
REFUSED = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy"
METHODS = (b"POST ", b"GET ")


class HttpProxy:
    """Forwards bytes; a request begins where a method does."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._listening: asyncio.Server | None = None
        self.traps = Traps()
        self.url = ""
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._listening = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._listening.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            there = await asyncio.open_connection("127.0.0.1", self._server)
            try:
                await Exchange(self.traps).run((reader, writer), there)
            finally:
                _close(there[1])
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            _close(writer)

    async def close(self) -> None:
        if self._listening is not None:
            self._listening.close()
        for connection in list(self._connections):
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)


class Exchange:
    """One connection, with one request after the other."""

    def __init__(self, traps: Traps) -> None:
        self._traps = traps
        self._swallows = False

    async def run(
        self,
        client: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        server: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        there = asyncio.create_task(self._forth(client[0], client[1], server[1]))
        back = asyncio.create_task(self._back(server[0], client[1]))
        try:
            await asyncio.wait({there, back}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (there, back):
                task.cancel()
            await asyncio.gather(there, back, return_exceptions=True)

    async def _forth(
        self, reader: asyncio.StreamReader, client: asyncio.StreamWriter, server: asyncio.StreamWriter
    ) -> None:
        while data := await reader.read(CHUNK):
            trap = self._traps.meant_for(set()) if data.startswith(METHODS) else None
            if trap is not None:
                trap.spring(data.split(b"\r\n", 1)[0].decode(errors="replace")[:80])
                if trap.kind == "refused-request":
                    client.write(REFUSED)
                    await client.drain()
                    # An orderly end: were the rest of the request unread, the answer would be lost with it.
                    client.write_eof()
                    await reader.read()
                if trap.kind != "lost-answer":
                    return
                self._swallows = True
            server.write(data)
            await server.drain()

    async def _back(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        while data := await reader.read(CHUNK):
            if self._swallows:
                return
            client.write(data)
            await client.drain()


def _close(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, RuntimeError):
        writer.transport.abort()
