"""Where the embedded server's files lie."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Self

from headrace.db.embedded.account import Account, refuse_folder_of_others
from headrace.errors import EmbeddedServerError

PORT = 5432
# The shortest limit of the systems we know (macOS), one byte less for the closing NUL.
LONGEST_SOCKET_PATH = 103
# Not the TMPDIR or XDG_RUNTIME_DIR of whoever comes first: every owner must find the same folder.
SHORT_PLACE = Path("/tmp")  # noqa: S108 - the folder made there is private and its owner is verified


class SocketDirTaken(EmbeddedServerError):
    """What lies at the place of the socket's folder is not ours."""

    @classmethod
    def at(cls, folder: Path) -> Self:
        """With the folder and the cure."""
        return cls(
            f"The socket folder {folder} is a link or belongs to another user. Remove it, or choose a data folder "
            "with a shorter path so that the socket can lie inside."
        )


@dataclass(frozen=True)
class Layout:
    """The paths of one server: `home` is the data folder, or one that the server's user can reach."""

    data_dir: Path
    home: Path

    @property
    def cluster(self) -> Path:
        """PostgreSQL's own data directory."""
        return self.home / "postgres"

    @property
    def postmaster_pid(self) -> Path:
        """PostgreSQL's lock file, which begins with the id of the process that claims the cluster."""
        return self.cluster / "postmaster.pid"

    @property
    def conf(self) -> Path:
        """Our settings, written anew at every start."""
        return self.home / "headrace.conf"

    @property
    def hba(self) -> Path:
        """Which connections are taken, written anew at every start."""
        return self.home / "headrace.hba.conf"

    @property
    def ident(self) -> Path:
        """Which users of the system may log in, written anew at every start."""
        return self.home / "headrace.ident.conf"

    @property
    def log(self) -> Path:
        """What the server and its supervisor say."""
        return self.data_dir / "postgres.log"

    @property
    def run(self) -> Path:
        """Locks and the socket."""
        return self.home / "run"

    @property
    def token(self) -> Path:
        """What the name of the socket's folder is made with."""
        return self.run / "token"

    @property
    def share_lock(self) -> Path:
        """Held shared by every owner for its life."""
        return self.run / "share.lock"

    @property
    def alive_lock(self) -> Path:
        """Inherited by every process of the server, so it is free exactly when all are gone."""
        return self.run / "alive.lock"

    @property
    def socket_dir(self) -> Path:
        """The private folder of the Unix socket: ours when its path fits, else a short one."""
        # The token goes with the folder: a server whose folder was deleted must neither be taken for the new
        # one nor, when it ends, remove the new one's socket.
        token = self.token.read_text().strip()
        own = self.run / f"socket-{token}"
        socket = os.fsencode(own / f".s.PGSQL.{PORT}")
        # A comma separates hosts in a URL; quotes and line ends would need escapes in the settings.
        if len(socket) <= LONGEST_SOCKET_PATH and not set(socket) & set(b",\"'\\\n\r"):
            return own
        name = hashlib.sha256(os.fsencode(self.home) + token.encode()).hexdigest()[:16]
        return SHORT_PLACE / f"headrace-{name}"


def start_lock(data_dir: Path) -> Path:
    """The lock that serialises decisions to start and to stop."""
    return data_dir / "run" / "start.lock"


def prepare_data_dir(data_dir: Path) -> Path:
    """Make the data folder if need be, and return its real path."""
    data_dir = data_dir.expanduser().resolve()
    if not data_dir.is_dir():
        data_dir.parent.mkdir(parents=True, exist_ok=True)
        make_folder(data_dir)
        _write_new(data_dir / ".gitignore", "*\n")
    refuse_folder_of_others(data_dir)
    make_folder(data_dir / "run")
    refuse_folder_of_others(data_dir / "run")
    return data_dir


def prepare_run_dir(layout: Layout) -> None:
    """Make the folder of the locks; call it with the start lock held."""
    make_folder(layout.run)
    _write_new(layout.token, token_hex(4))


def rename_socket_dir(layout: Layout) -> None:
    """Choose a name that no one can guess; call it when there is neither a server nor another owner."""
    layout.token.unlink()
    _write_new(layout.token, token_hex(4))


def _write_new(file: Path, text: str) -> None:
    """Write a file unless it is there; a link in its place is not followed."""
    with suppress(FileExistsError), file.open("x") as new:
        new.write(text)


def make_folder(folder: Path) -> None:
    """Make a folder of ours: private, but passable when root makes it, since its server is not root."""
    mode = 0o711 if os.geteuid() == 0 else 0o700
    try:
        folder.mkdir(mode=mode)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return
    with opened_folder(folder) as fd:
        os.fchmod(fd, mode)  # the umask may have taken away what the server needs


@contextmanager
def opened_folder(folder: Path) -> Iterator[int]:
    """A folder and no link: what is opened once cannot be exchanged between looking at it and changing it."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield fd
    finally:
        os.close(fd)


def prepare_socket_dir(folder: Path, account: Account) -> None:
    """Make the socket's folder for the server alone, and make sure that it is ours."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    # In a place where everybody may write, another user could have made it first, or a link, to serve our
    # clients.
    try:
        with opened_folder(folder) as fd:
            if os.fstat(fd).st_uid not in {os.geteuid(), account.uid}:
                raise SocketDirTaken.at(folder)
            os.fchmod(fd, 0o700)
            if account.borrowed:
                os.fchown(fd, account.uid, account.gid)
    except OSError as error:
        raise SocketDirTaken.at(folder) from error
