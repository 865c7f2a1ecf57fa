"""What an application has open, and in which process: a fork inherits it and must not use it."""

from __future__ import annotations

import os

from headrace.app.client import Client
from headrace.app.forked import leave_to_parent
from headrace.db.database import Database
from headrace.errors import HeadraceError


class NotOpen(HeadraceError):
    """Open it first: `async with hr: …`."""

    code, status = "not_open", 500


class OpenHere:
    """A database and a client, for the process that opened them alone."""

    def __init__(self) -> None:
        self._pid: int | None = None
        self._database: Database | None = None
        self._client: Client | None = None

    @property
    def is_open(self) -> bool:
        """Whether this process has opened it."""
        return self._client is not None and self._pid == os.getpid()

    @property
    def database(self) -> Database:
        """The database, or `NotOpen`."""
        if self._database is None or not self.is_open:
            raise self._not_open()
        return self._database

    @property
    def client(self) -> Client:
        """The client, or `NotOpen`."""
        if self._client is None or not self.is_open:
            raise self._not_open()
        return self._client

    def open(self, database: Database, client: Client) -> None:
        """From now on these are open here."""
        self._pid, self._database, self._client = os.getpid(), database, client

    def forget(self) -> Client | None:
        """From now on nothing is open; gives back the client, to be closed."""
        client, self._client, self._database = self._client, None, None
        return client

    def leave_to_parent(self, *others: object) -> bool:
        """Forget, untouched, what was open when this process was forked; whether there was any."""
        if self._client is None or self.is_open:
            return False
        leave_to_parent((self._client, self._database, others))
        self.forget()
        return True

    def _not_open(self) -> NotOpen:
        if self._client is None:
            return NotOpen()
        return NotOpen(
            f"this Headrace was opened in process {self._pid}, from which process {os.getpid()} was forked. "
            "Open it here too: `async with hr: …`; or call hr.sync, which opens by itself."
        )
