"""A socket in front of PostgreSQL that loses statements and replies, refuses, and falls silent."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from tests.chaos.storm.proxy.trap import Trap, Traps
from tests.chaos.storm.proxy.wire import Message, Messages, Statements, aims_of, describe, refusal

CHUNK = 65536
# A connection that fell silent is gone after some leases, unless the client gives up before.
SILENCE = 12.0
READY = b"Z"


class Session:
    """One connection through the proxy."""

    def __init__(self, traps: Traps) -> None:
        self._traps = traps
        self._statements = Statements()
        self._status = b"I"
        self._swallows = self._silent = False
        self._tasks: list[asyncio.Task[None]] = []

    async def run(
        self,
        client: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        server: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        """Until one of the two is gone, or a fault ends it."""
        self._to_client, self._to_server = client[1], server[1]
        there = asyncio.create_task(self._forth(client[0]))
        back = asyncio.create_task(self._back(server[0]))
        try:
            await asyncio.wait({there, back}, return_when=asyncio.FIRST_COMPLETED)
            if self._silent and not there.done():
                await there
        finally:
            for task in (there, back):
                task.cancel()
            await asyncio.gather(there, back, return_exceptions=True)

    async def _forth(self, reader: asyncio.StreamReader) -> None:
        messages = Messages(from_client=True)
        while data := await reader.read(CHUNK):
            batch = list(messages.feed(data))
            if batch and not await self._pass_on(batch):
                return
            if self._silent:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(SILENCE):
                        while await reader.read(CHUNK):
                            pass
                return

    async def _pass_on(self, batch: list[Message]) -> bool:
        """Whether the session goes on."""
        statement = self._statements.run_by(batch)
        trap = self._traps.meant_for(aims_of(statement)) if statement is not None else None
        if trap is not None and statement is not None:
            trap.spring(describe(statement))
            if trap.kind != "lost-reply":
                return self._fall_into(trap)
            self._swallows = True
        self._to_server.write(b"".join(message.whole for message in batch))
        await self._to_server.drain()
        return True

    def _fall_into(self, trap: Trap) -> bool:
        if trap.kind == "lost-statement":
            return False
        if trap.kind == "refused-statement":
            self._to_client.write(refusal(trap.sqlstate, self._status))
        else:
            self._silent = True
        return True

    async def _back(self, reader: asyncio.StreamReader) -> None:
        messages = Messages(from_client=False)
        while data := await reader.read(CHUNK):
            for message in messages.feed(data):
                if message.kind == READY:
                    self._status = message.body
                    if self._swallows:
                        return
            if not self._swallows and not self._silent:
                self._to_client.write(data)
                await self._to_client.drain()


class PostgresProxy:
    """Listens in a folder, as PostgreSQL does."""

    def __init__(self, folder: Path, server: Path) -> None:
        self.folder = folder
        self._server = server
        self._listening: asyncio.Server | None = None
        self.traps = Traps()
        self._sessions: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self.folder.mkdir()
        self._listening = await asyncio.start_unix_server(self._serve, self.folder / ".s.PGSQL.5432")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._sessions.add(task)
        try:
            there = await asyncio.open_unix_connection(self._server)
            try:
                await Session(self.traps).run((reader, writer), there)
            finally:
                _close(there[1])
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._sessions.discard(task)
            _close(writer)

    async def close(self) -> None:
        if self._listening is not None:
            self._listening.close()
        for session in list(self._sessions):
            session.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)


def _close(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, RuntimeError):
        writer.transport.abort()
