"""A primary and a streaming standby of the test's own, to kill the one and promote the other."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.chaos.world.server import children_of, running
from tests.waiting import PATIENCE, wait_until

from headrace.db.embedded.account import Account, account_for
from headrace.db.embedded.binaries import Install, find_install, runnable_by
from headrace.db.embedded.relocate import state_folder

ROLE = "headrace"
PROGRAMS = ("initdb", "pg_basebackup", "pg_ctl", "pg_isready", "postgres", "psql")
# No fsync would be faster, but a worker refuses such a server.
SETTINGS = ("listen_addresses=", "shared_buffers=64MB", "max_connections=60", "timezone=UTC")


class Node:
    """One server: a cluster, and a socket in a folder of its own."""

    def __init__(self, folder: Path, install: Install, account: Account) -> None:
        self.socket_dir = folder
        self.cluster = folder / "cluster"
        self._install = install
        self._account = account
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(mode=0o700)
        account.own(folder)

    def run(self, program: str, *arguments: str) -> None:
        """One of PostgreSQL's programs, to a good end."""
        done = subprocess.run(
            [self._install.program(program), *arguments],
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            **self._account.identity,
        )
        assert done.returncode == 0, f"{program}: {done.stdout.decode(errors='replace')}"

    def start(self) -> None:
        """Bring it up, and wait until it answers."""
        options = [*SETTINGS, f"unix_socket_directories={self.socket_dir}"]
        flags = [word for option in options for word in ("-c", option)]
        with (self.socket_dir.parent / f"{self.socket_dir.name}.log").open("wb") as log:
            self._process = subprocess.Popen(
                [self._install.program("postgres"), "-D", str(self.cluster), *flags],
                cwd="/",
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._account.identity,
            )
        wait_until("the server answers", self._answers)

    def sql(self, statement: str) -> None:
        """As an administrator."""
        self.run("psql", "-h", str(self.socket_dir), "-U", ROLE, "-d", "postgres", "-qc", statement)

    def promote(self) -> None:
        """Make a standby the primary; returns when it takes writes."""
        self.run("pg_ctl", "promote", "-D", str(self.cluster), "-w")

    def kill(self) -> None:
        """Every process of it at once, as when its machine loses power."""
        if self._process is None or self._process.poll() is not None:
            return
        family = [self._process.pid, *children_of(self._process.pid)]
        for pid in family:
            os.kill(pid, signal.SIGKILL)
        self._process.wait(PATIENCE)
        wait_until("the server's processes are gone", lambda: not set(family) & running())

    def _answers(self) -> bool:
        asked = [self._install.program("pg_isready"), "-q", "-h", str(self.socket_dir)]
        return subprocess.run(asked, check=False, **self._account.identity).returncode == 0


class Pair:
    """Two nodes, and a URL that names both."""

    def __init__(self, folder: Path) -> None:
        account = account_for(folder / "none").maker
        install = runnable_by(account, find_install(), state_folder)
        missing = [name for name in PROGRAMS if not Path(install.program(name)).exists()]
        assert not missing, f"{install.bin_dir} lacks {', '.join(missing)}"
        self.primary = Node(folder / "a", install, account)
        self.standby = Node(folder / "b", install, account)

    @property
    def url(self) -> str:
        hosts = f"{self.primary.socket_dir},{self.standby.socket_dir}"
        return f"postgresql://{ROLE}@/{ROLE}?host={hosts}&port=5432,5432&target_session_attrs=read-write"

    def start(self) -> None:
        """The primary, a copy of it that follows, and from then on no commit without the copy's word."""
        a, b = self.primary, self.standby
        a.run("initdb", "-D", str(a.cluster), "-U", ROLE, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        a.start()
        a.sql(f"create database {ROLE}")
        come_from = f"host={a.socket_dir} user={ROLE} application_name=b"
        b.run("pg_basebackup", "-D", str(b.cluster), "-d", come_from, "-R", "-c", "fast", "--no-sync")
        b.start()
        a.sql("alter system set synchronous_standby_names = 'b'")
        a.sql("select pg_reload_conf()")

    def end(self) -> None:
        """Nothing of it is worth keeping."""
        self.primary.kill()
        self.standby.kill()


@contextmanager
def own_pair() -> Iterator[Pair]:
    """A pair that is gone after the block."""
    # Not in the test's own folder: that one is closed to the user under whom root's servers run.
    folder = Path(tempfile.mkdtemp(prefix="headrace-pair-"))
    folder.chmod(0o711)
    pair = Pair(folder)
    try:
        pair.start()
        yield pair
    finally:
        pair.end()
        shutil.rmtree(folder, ignore_errors=True)
