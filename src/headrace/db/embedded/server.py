"""When the embedded server starts, who shares it, and who stops it."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Self
from urllib.parse import quote

from headrace.db.embedded import explain
from headrace.db.embedded.account import Account, account_for
from headrace.db.embedded.binaries import Install, find_install, runnable_by
from headrace.db.embedded.halt import stop_server
from headrace.db.embedded.initialise import ROLE
from headrace.db.embedded.launch import DATABASE, ensure_running
from headrace.db.embedded.layout import (
    PORT,
    Layout,
    SocketDirTaken,
    prepare_data_dir,
    prepare_run_dir,
    prepare_socket_dir,
    rename_socket_dir,
    start_lock,
)
from headrace.db.embedded.locks import FileLock, hold_exclusively, join, leave
from headrace.db.embedded.presence import be_present, gone_from
from headrace.db.embedded.relocate import layout_for, state_folder

# Long enough for another process's start after a crash, with all its recovery.
START_LOCK_SECONDS = 600.0
STOPPING_SECONDS = 60.0


class EmbeddedServer:
    """One process's share of the PostgreSQL that lives in a folder."""

    def __init__(self, layout: Layout, install: Install, share: FileLock, *, sole_owner: bool) -> None:
        self._layout = layout
        self._install = install
        self._share = share
        self._sole_owner = sole_owner
        self._socket_dir = layout.socket_dir
        self._presence: FileLock | None = None

    @classmethod
    def start(cls, data_dir: Path, *, install: Install | None = None) -> Self:
        """Join the server of a data folder, starting it if need be; blocks until it answers."""
        try:
            data_dir = prepare_data_dir(data_dir)
            with hold_exclusively(start_lock(data_dir), seconds=START_LOCK_SECONDS):
                return cls._start_locked(data_dir, install or find_install())
        except OSError as error:
            raise explain.from_os_error(error, data_dir) from error

    @classmethod
    def _start_locked(cls, data_dir: Path, found: Install) -> Self:
        account = account_for(data_dir / "postgres")
        layout = layout_for(data_dir, account)
        install = runnable_by(account, found, state_folder)
        prepare_run_dir(layout)
        share = FileLock(layout.share_lock)
        try:
            alone = join(share, seconds=STOPPING_SECONDS)
            # Not before: the supervisor of a server without owners removes it at last.
            _claim_socket_dir(layout, account, alone=alone)
            server = cls(layout, install, share, sole_owner=alone)
            ensure_running(layout, install, account)
        except BaseException:
            share.close()  # the supervisor stops a server that came up half
            with suppress(OSError):  # it stays when others share a server there
                layout.socket_dir.rmdir()
            raise
        return server

    @property
    def url(self) -> str:
        """Where to connect, in the form that libpq, psycopg and asyncpg read."""
        host = quote(str(self._socket_dir), safe="/")
        return f"postgresql://{ROLE}@/{DATABASE}?host={host}&port={PORT}"

    @property
    def sole_owner(self) -> bool:
        """Tell whether no other process shared the server at start, so none can be a live worker of it."""
        return self._sole_owner

    @property
    def bin_dir(self) -> Path:
        """Where the PostgreSQL programs that fit this server are, such as `psql` and `pg_dump`."""
        return self._install.bin_dir

    @property
    def process(self) -> str:
        """By which name others who share the server can ask whether this process is still there."""
        if self._presence is None:
            self._presence = be_present(self._layout.run)
        return self._presence.path.name

    def gone(self) -> AbstractContextManager[list[str]]:
        """The names of processes that are gone, for whoever sees to what they left; see `gone_from`."""
        return gone_from(self._layout.run)

    @property
    def log(self) -> Path:
        """What the server said."""
        return self._layout.log

    def is_down(self) -> bool:
        """Tell whether all processes of the server that we share are gone."""
        return not self._share.closed and not self._share.replaced and _is_down(self._layout)

    def revive(self) -> bool:
        """Start the server again and wait until it answers, unless it runs; tell whether that was needed."""
        try:
            with hold_exclusively(start_lock(self._layout.data_dir), seconds=START_LOCK_SECONDS):
                if not self.is_down():
                    return False
                account = account_for(self._layout.data_dir / "postgres")
                prepare_socket_dir(self._socket_dir, account)
                ensure_running(self._layout, self._install, account)
                return True
        except OSError as error:
            raise explain.from_os_error(error, self._layout.data_dir) from error

    def stop(self) -> None:
        """Give up this share; the last one out stops the server and waits for its end."""
        if self._presence is not None:
            self._presence.close()
        if self._share.closed:
            return
        lock = start_lock(self._layout.data_dir)
        if self._share.replaced or not lock.exists():
            # The folder was deleted, and what lies there now is another server: ours is stopped by its
            # supervisor, which knows it by more than its path.
            self._share.close()
            return
        with hold_exclusively(lock, seconds=START_LOCK_SECONDS):
            if leave(self._share):
                stop_server(self._layout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _is_down(layout: Layout) -> bool:
    with FileLock(layout.alive_lock) as alive:
        return alive.is_free()


def _claim_socket_dir(layout: Layout, account: Account, *, alone: bool) -> None:
    """Have a folder for the socket. While there is no server, a name that another user took is left to that user."""
    try:
        prepare_socket_dir(layout.socket_dir, account)
    except SocketDirTaken:
        if not alone or not _is_down(layout):
            raise
        rename_socket_dir(layout)
        prepare_socket_dir(layout.socket_dir, account)
