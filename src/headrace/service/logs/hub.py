"""The hub of logs: one reader in a process, which reads a job's lines once for all who follow them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from headrace.db.connect import Connection
from headrace.errors import DatabaseAway, HeadraceError, Unauthenticated
from headrace.logs.read import LinePage, Position, read_lines
from headrace.model.log.line import LogLine
from headrace.service.looker import Looker
from headrace.service.seats import Seats
from headrace.service.session import Runtime
from headrace.service.tokens.credential_watch import CredentialWatch

LINES_AT_ONCE = 1000
# Lines that are written out at once: others wait for the loop meanwhile.
LINES_OF_A_PART = 100
# Parts that a follower may be behind; then it reads for itself until it has caught up.
MOST_BEHIND = 30
START: Position = (0, 0)

Read = Callable[[Position], Awaitable[LinePage]]


@dataclass(eq=False)
class Part:
    """Some lines in order; `text` is how they are sent: one part goes to many."""

    lines: Sequence[LogLine]
    text: bytes | None = None


@dataclass(eq=False)
class Follower:
    """How far a follower has come, and which lines it wants. `None` in the queue: no more parts come this way."""

    position: Position
    level: int | None
    stream: int | None
    parts: asyncio.Queue[Part | None] = field(default_factory=asyncio.Queue)
    ended: bool = False
    refused: HeadraceError | None = None

    @property
    def wants(self) -> tuple[Position, int | None, int | None]:
        """Followers that want the same get the same parts."""
        return self.position, self.level, self.stream

    def check(self) -> None:
        """Raise why it may not go on, if that is so."""
        if self.refused is not None:
            raise self.refused

    def refuse(self, why: HeadraceError) -> None:
        """What is waiting is not sent either."""
        self.refused = why
        while not self.parts.empty():
            self.parts.get_nowait()
        self.parts.put_nowait(None)


class LogHub(Looker):
    """All who follow a log in this process. Their looks take a quarter of a connection's time at most."""

    every = 0.5
    rest = 3.0

    def __init__(self, runtime: Runtime, watch: CredentialWatch) -> None:
        super().__init__(runtime)
        self._watch = watch
        self._seats = Seats()
        self._followers: defaultdict[UUID, set[Follower]] = defaultdict(set)

    async def follow(
        self, job_id: UUID, read: Read, follower: Follower, *, whose: int | None, credential: bytes | None
    ) -> AsyncGenerator[Part, None]:
        """Every line there is, read by the follower itself, and then those that come, until the job has ended."""
        end = partial(self._let_go, job_id, follower, Unauthenticated())
        with self._seats.take(whose), self._watch.hold(credential, end):
            while not follower.ended:
                page = await read(follower.position)
                for part in _parts(page.lines) or [Part(())]:
                    follower.check()
                    yield part
                follower.position, follower.ended = page.after, page.ended
                if page.more or page.ended:
                    continue
                with self._joined(job_id, follower):
                    while (shared := await follower.parts.get()) is not None:
                        yield shared
                follower.check()

    async def read_all(
        self, read: Read, reader: Follower, *, whose: int | None, credential: bytes | None
    ) -> AsyncGenerator[LinePage, None]:
        """All lines there are now, page by page. A reader may be slow: it keeps its seat until the end."""
        end = partial(reader.refuse, Unauthenticated())
        with self._seats.take(whose), self._watch.hold(credential, end):
            more = True
            while more:
                page = await read(reader.position)
                reader.check()
                yield page
                reader.check()
                reader.position, more = page.after, page.more

    def wanted(self) -> bool:
        return bool(self._followers)

    def leave_all(self) -> None:
        for job_id, group in list(self._followers.items()):
            for follower in list(group):
                self._let_go(job_id, follower, DatabaseAway("this server is stopping"))

    async def look(self) -> None:
        """Read the new lines of each job, on one connection, and give them to the job's followers."""
        async with self._runtime.database.pool.acquire() as conn:
            for job_id, group in list(self._followers.items()):
                if group:
                    await self._look_at(conn, job_id, list(group))

    async def _look_at(self, conn: Connection, job_id: UUID, group: list[Follower]) -> None:
        # From the follower that is least far: a new one may have read less than the others have.
        after = min(follower.position for follower in group)
        page = await read_lines(conn, job_id, after=after, limit=LINES_AT_ONCE)
        shared: dict[object, list[Part]] = {}
        for follower in group:
            parts = shared.get(follower.wants)
            if parts is None:
                parts = shared[follower.wants] = _parts(list(_new_to(follower, page.lines)))
            fits = follower.parts.qsize() + len(parts) <= MOST_BEHIND
            if fits:
                for part in parts:
                    follower.parts.put_nowait(part)
                follower.position, follower.ended = max(follower.position, page.after), page.ended
            if follower.ended or not fits:
                self._leave(job_id, follower)
                follower.parts.put_nowait(None)

    @contextmanager
    def _joined(self, job_id: UUID, follower: Follower) -> Iterator[None]:
        if follower.refused is None:  # its credential may have ended while it was reading for itself
            self._followers[job_id].add(follower)
            self._start()
        try:
            yield
        finally:
            self._leave(job_id, follower)

    def _let_go(self, job_id: UUID, follower: Follower, why: HeadraceError) -> None:
        self._leave(job_id, follower)
        follower.refuse(why)

    def _leave(self, job_id: UUID, follower: Follower) -> None:
        group = self._followers.get(job_id, set())
        group.discard(follower)
        if not group:
            self._followers.pop(job_id, None)


def _parts(lines: Sequence[LogLine]) -> list[Part]:
    return [Part(lines[n : n + LINES_OF_A_PART]) for n in range(0, len(lines), LINES_OF_A_PART)]


def _new_to(follower: Follower, lines: Sequence[LogLine]) -> Iterator[LogLine]:
    """The lines beyond its position, of its level and up, and of its stream."""
    for line in lines:
        if (
            (line.run, line.seq) > follower.position
            and (follower.level is None or line.level >= follower.level)
            and (follower.stream is None or line.stream == follower.stream)
        ):
            yield line
