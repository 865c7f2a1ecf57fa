"""The log writer: keeps what runs say, many runs' lines at a time, and always before a run's outcome."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from headrace.aio import wait_for_event
from headrace.log import get_logger
from headrace.model.log.line import LogLine
from headrace.model.log.run_log import RunLog
from headrace.worker.backoff import Backoff
from headrace.worker.transport.interface import Fence, Transport, TransportAway

log = get_logger("headrace.worker")
FLUSH_AFTER = 0.5
BATCH = 1000


class LogWriter:
    """Half a second after the first line, or at once for a thousand, everything goes out; one flush at a time."""

    def __init__(self, transport: Transport, *, echo: Callable[[LogLine], None] | None = None) -> None:
        self._transport = transport
        self._echo = echo
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._begun: dict[RunLog, None] = {}
        self._some = asyncio.Event()
        self._many = asyncio.Event()
        self._flushing = asyncio.Lock()

    def noticed(self, lines: RunLog) -> None:
        """A run has said something; from whatever thread."""
        many = len(lines) >= BATCH
        if lines in self._begun and not many:
            return
        self._begun[lines] = None
        if threading.get_ident() == self._thread:
            self._wake(many)
        else:
            self._loop.call_soon_threadsafe(self._wake, many)

    def _wake(self, many: bool) -> None:
        self._some.set()
        if many:
            self._many.set()

    async def run(self) -> None:
        """Flush for ever; trouble is waited out."""
        backoff = Backoff()
        while True:
            await self._some.wait()
            await wait_for_event(self._many, FLUSH_AFTER)
            self._some.clear()
            self._many.clear()
            try:
                await self._flush()
                backoff.reset()
            except TransportAway as error:
                log.warning("log lines delayed", error=str(error))
                self._some.set()
                await backoff.pause()

    async def settle(self, lines: RunLog) -> None:
        """Return when all that this run said is kept, or nobody wants it any more."""
        backoff = Backoff()
        while True:
            try:
                await self._flush()  # in any case: another's flush may be under way with these lines
            except TransportAway:
                await backoff.pause()
                continue
            if lines not in self._begun:
                return

    async def _flush(self) -> None:
        """Everything said when it begins, batch after batch: nobody waits for what others go on to say."""
        async with self._flushing:
            due = {source: len(source) for source in list(self._begun)}
            while due:
                taken = self._take(due)
                try:
                    refused = await self._store(taken)
                except BaseException:
                    # Stored or not, we do not know: they go out again, and what was stored is not stored twice.
                    for source, lines in taken:
                        source.put_back(lines)
                        self._begun[source] = None
                    raise
                self._repeat(taken)
                for source, lines in taken:
                    if (source.job_id, source.run) in refused:
                        log.info("log lines of a lost job dropped", lines=len(lines))
            if self._begun:  # by lines that came meanwhile, of runs that were begun already
                self._some.set()

    def _repeat(self, taken: list[tuple[RunLog, list[LogLine]]]) -> None:
        if self._echo is None:
            return
        try:
            for _, lines in taken:
                for line in lines:
                    self._echo(line)
        except Exception as error:  # such as a terminal that is gone: lines are kept, and jobs end, without it
            self._echo = None
            log.warning("output of jobs muted", error=f"{type(error).__name__}: {error}")

    async def _store(self, taken: list[tuple[RunLog, list[LogLine]]]) -> set[Fence]:
        try:
            return await self._transport.write_logs([line for _, lines in taken for line in lines])
        except TransportAway:
            raise
        except Exception:
            if len(taken) > 1:  # each run's alone: only those at fault are dropped
                return {fence for one in taken for fence in await self._store([one])}
            # A job must end, whatever it said.
            log.exception("log lines dropped", lines=sum(len(lines) for _, lines in taken))
            return set()

    def _take(self, due: dict[RunLog, int]) -> list[tuple[RunLog, list[LogLine]]]:
        """A batch of the oldest lines that are due; a run whose lines are all taken is begun anew by its next."""
        room, taken = BATCH, []
        for source, count in list(due.items()):
            if room <= 0:
                break
            self._begun.pop(source, None)  # first: a line that comes now begins it again
            lines = source.take(min(room, count))
            room -= len(lines)
            if len(source):
                self._begun[source] = None
            if len(lines) < count:
                due[source] = count - len(lines)
            else:
                del due[source]
            if lines:
                taken.append((source, lines))
        return taken
