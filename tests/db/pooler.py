"""A transaction pooler in a hundred lines: what PgBouncer does to a client in `pool_mode = transaction`."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import shutil
import struct
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

CANCEL_REQUEST = 80877102
FAKE_PIDS = itertools.count(900_000_000)


@dataclass
class Backend:
    """A connection to the real server, given to one client for one transaction at a time."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    greeting: bytes


class Pooler:
    """Backends are lent last in, first out, and given back when the server says it is idle."""

    def __init__(self, server_url: str, backends: int) -> None:
        parts = urlsplit(server_url)
        query = parse_qs(parts.query)
        self.user, self.database = parts.username or "", parts.path.lstrip("/")
        self._server = f"{query['host'][0]}/.s.PGSQL.{query['port'][0]}"
        self._places = asyncio.Semaphore(backends)
        self._idle: list[Backend] = []
        self._open: set[asyncio.StreamWriter] = set()
        self.most_lent = self.lent = self.transactions = 0

    async def serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client, from its greeting to its goodbye."""
        self._open.add(writer)
        pump: asyncio.Task[None] | None = None
        try:
            (length,) = struct.unpack("!i", await reader.readexactly(4))
            startup = await reader.readexactly(length - 4)
            if struct.unpack("!i", startup[:4])[0] == CANCEL_REQUEST:
                return
            backend = await self._borrow()
            greeting = backend.greeting
            self._give_back(backend)
            # A process id that no backend has, as PgBouncer makes it up too.
            key = b"K" + struct.pack("!iii", 12, next(FAKE_PIDS), 0)
            writer.write(greeting + key + b"Z" + struct.pack("!i", 5) + b"I")
            while True:
                kind, message = await read_message(reader)
                if kind == b"X":
                    return
                if pump is None or pump.done():
                    backend = await self._borrow()
                    pump = asyncio.create_task(self._pump(backend, writer))
                backend.writer.write(message)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            if pump is not None and not pump.done():
                pump.cancel()  # left in the middle of a transaction: that backend is of no more use
                backend.writer.close()
                self._returned()
            writer.close()

    async def _pump(self, backend: Backend, client: asyncio.StreamWriter) -> None:
        """What the server says goes to the client, until the transaction is over."""
        while True:
            kind, message = await read_message(backend.reader)
            if kind == b"A":
                continue  # a notification belongs to nobody here
            idle = kind == b"Z" and message[-1:] == b"I"
            if idle:
                self._give_back(backend)
            client.write(message)
            if idle:
                return

    async def _borrow(self) -> Backend:
        await self._places.acquire()
        self.lent += 1
        self.most_lent = max(self.most_lent, self.lent)
        return self._idle.pop() if self._idle else await self._connect()

    def _give_back(self, backend: Backend) -> None:
        self._idle.append(backend)
        self.transactions += 1
        self._returned()

    def _returned(self) -> None:
        self.lent -= 1
        self._places.release()

    async def _connect(self) -> Backend:
        reader, writer = await asyncio.open_unix_connection(self._server)
        self._open.add(writer)
        body = struct.pack("!i", 196608) + f"user\0{self.user}\0database\0{self.database}\0\0".encode()
        writer.write(struct.pack("!i", len(body) + 4) + body)
        greeting = b""
        while True:
            kind, message = await read_message(reader)
            if kind == b"E":
                raise ConnectionError(message.decode(errors="replace"))
            if kind == b"Z":
                return Backend(reader, writer, greeting)
            if kind != b"K":
                greeting += message

    async def close(self) -> None:
        """Hang up on everyone."""
        for writer in self._open:
            writer.close()
        for writer in self._open:
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


async def read_message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Its kind, and the whole of it."""
    head = await reader.readexactly(5)
    return head[:1], head + await reader.readexactly(struct.unpack("!i", head[1:])[0] - 4)


@asynccontextmanager
async def pooled(server_url: str, *, backends: int = 4) -> AsyncIterator[tuple[str, Pooler]]:
    """A pooler before the server, and the URL that goes through it."""
    folder = Path(tempfile.mkdtemp(prefix="pooler"))
    pooler = Pooler(server_url, backends)
    server = await asyncio.start_unix_server(pooler.serve_client, folder / ".s.PGSQL.6432")
    try:
        yield f"postgresql://{pooler.user}@/{pooler.database}?host={folder}&port=6432", pooler
    finally:
        server.close()
        await pooler.close()
        shutil.rmtree(folder)
