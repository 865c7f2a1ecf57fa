"""What an application has open, and in which process: a fork inherits it and must not use it."""

from __future__ import annotations

import os

from headrace.app.forked import leave_to_parent
from headrace.app.wait import Waiting
from headrace.db.database import Database
from headrace.errors import HeadraceError


class NotOpen(HeadraceError):
    """Open it first: `async with hr: …`."""

    code, status = "not_open", 500


class OpenHere:
    """A database, and those who wait for jobs in it, for the process that opened them alone."""

    def __init__(self) -> None:
        self._pid: int | None = None
        self._open: tuple[Database, Waiting] | None = None

    @property
    def is_open(self) -> bool:
        """Whether this process has opened it."""
        return self._open is not None and self._pid == os.getpid()

    @property
    def database(self) -> Database:
        """The database, or `NotOpen`."""
        return self._held()[0]

    @property
    def waiting(self) -> Waiting:
        """Those who wait, or `NotOpen`."""
        return self._held()[1]

    def open(self, database: Database) -> None:
        """From now on it is open here."""
        self._pid, self._open = os.getpid(), (database, Waiting(database))

    async def close(self) -> None:
        """Stop listening and give the database back; of an embedded server too, where this process is the last one."""
        held, self._open = self._open, None
        if held is not None:
            database, waiting = held
            await waiting.close()
            await database.close()

    async def disconnect(self) -> None:
        """The same, but for `Database.leave_server`, which blocks."""
        if self._open is not None:
            database, waiting = self._open
            await waiting.close()
            await database.disconnect()

    def leave_to_parent(self, *others: object) -> bool:
        """Forget, untouched, what was open when this process was forked; whether there was any."""
        if self._open is None or self.is_open:
            return False
        leave_to_parent((self._open, others))
        self._open = None
        return True

    def _held(self) -> tuple[Database, Waiting]:
        if self._open is None:
            raise NotOpen
        if not self.is_open:
            raise NotOpen(
                f"this Headrace was opened in process {self._pid}, from which process {os.getpid()} was forked. "
                "Open it here too: `async with hr: …`; or call hr.blocking, which opens by itself."
            )
        return self._open
