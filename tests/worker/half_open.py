"""A line that falls silent without a word, as when a router drops packets: nobody is told, and a new one works."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Proxy:
    """Passes bytes on, and forgets those of connections that were muted."""

    def __init__(self, connect: Callable[[], Awaitable[Streams]]) -> None:
        self._connect = connect
        self._muted: set[asyncio.StreamWriter] = set()
        self._said: dict[asyncio.StreamWriter, bytes] = {}

    def mute(self, word: bytes) -> int:
        """From now on nothing comes through of connections that have ever said this; gives their number."""
        self._muted |= {client for client, said in self._said.items() if word in said}
        return len(self._muted)

    async def serve(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        """One connection."""
        answers, server = await self._connect()
        self._said[client] = b""
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pass_on(reader, server, client))
                both.create_task(self._pass_on(answers, client, client))
        finally:
            self._said.pop(client, None)
            for writer in (client, server):
                writer.close()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, client: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while said := await reader.read(65536):
                if client not in self._muted:
                    if writer is not client:
                        self._said[client] += said
                    writer.write(said)
            if client not in self._muted:  # else nobody hears of the end either
                writer.close()


@asynccontextmanager
async def serving(proxy: Proxy) -> AsyncIterator[int]:
    """The port of a proxy."""
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
