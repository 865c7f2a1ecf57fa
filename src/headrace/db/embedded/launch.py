"""Gets the server up: takes the one that runs, or starts it and waits until it answers."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from headrace.db.embedded import explain, supervise
from headrace.db.embedded.account import Account
from headrace.db.embedded.binaries import Install
from headrace.db.embedded.conf import write_conf
from headrace.db.embedded.halt import clear_stale_files
from headrace.db.embedded.initialise import CLEAN_ENVIRONMENT, ROLE, make_cluster
from headrace.db.embedded.layout import Layout
from headrace.db.embedded.locks import FileLock
from headrace.db.embedded.patience import Patience
from headrace.db.embedded.probe import TOO_MANY_CONNECTIONS, Answer, Refused, ask, probe
from headrace.db.embedded.roles import ensure_search_path, ensure_sql_role
from headrace.errors import EmbeddedServerError

DATABASE = "headrace"
PATIENCE_SECONDS = 30.0
ATTEMPTS = 3


def ensure_running(layout: Layout, install: Install, account: Account) -> None:
    """Return when the server answers, starting it if need be; call it with the start lock held."""
    for _ in range(ATTEMPTS - 1):
        _bring_up(layout, install, account)
        with suppress(ConnectionError):  # a server that was killed after it answered is started again
            return _ensure_database(layout)
    _bring_up(layout, install, account)
    return _ensure_database(layout)


def _bring_up(layout: Layout, install: Install, account: Account) -> None:
    alive = FileLock(layout.alive_lock)
    try:
        if not _runs_already(layout, alive):
            make_cluster(layout, install, account, alive)
            clear_stale_files(layout)
            write_conf(layout, account, install.major)
            log_start = _launch(layout, install, account, alive)
            # Only now may the lock go: the server holds it, and its end shows by the lock being free.
            alive.forget()
            _wait_until_ready(layout, log_start)
    finally:
        if not alive.closed:
            alive.close()


def _runs_already(layout: Layout, alive: FileLock) -> bool:
    """Tell whether the server answers, after waiting for one in transition; if not, `alive` is now held."""
    patience = Patience(PATIENCE_SECONDS)
    while (answer := probe(layout.socket_dir, layout.cluster)) is not Answer.READY:
        if answer is Answer.SILENT and alive.try_exclusive():
            return False
        if answer is Answer.STARTING:  # recovery after a crash takes the time it takes
            patience.renew()
        if not patience.lasts():
            raise EmbeddedServerError(
                f"Processes of an earlier PostgreSQL still run in {layout.cluster} but do not serve at "
                f"{layout.socket_dir}. End these postgres processes, then start again."
            )
    return True


def _launch(layout: Layout, install: Install, account: Account, alive: FileLock) -> int:
    """Start the supervisor, which starts the server, and return where in the log they begin."""
    supervise.bound_log(str(layout.log))
    arguments = [str(layout.share_lock), str(layout.log), str(layout.socket_dir), str(alive.fd)]
    command = [install.program("postgres"), "-D", str(layout.cluster), "-c", f"config_file={layout.conf}"]
    identity = [str(account.uid), str(account.gid)] if account.borrowed else ["", ""]
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    log = os.open(layout.log, flags, 0o600)
    try:
        size = os.fstat(log).st_size
        # Isolated and without site: nothing of the project can run in it, and it starts faster.
        subprocess.run(  # noqa: S603 - our own program and paths
            [sys.executable, "-I", "-S", supervise.__file__, *arguments, *identity, *command],
            cwd="/",
            env=CLEAN_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[alive.fd],
            start_new_session=True,  # Ctrl-C reaches the owners, who then shut down in order
            check=False,
        )
    finally:
        os.close(log)
    return size


def _wait_until_ready(layout: Layout, log_start: int) -> None:
    patience = Patience(PATIENCE_SECONDS)
    with FileLock(layout.alive_lock) as alive:
        while (answer := probe(layout.socket_dir, layout.cluster)) is not Answer.READY:
            if answer is Answer.STARTING:
                patience.renew()
            if alive.is_free() or not patience.lasts():
                output = _read_from(layout.log, log_start)
                raise explain.from_output(output, place=layout.cluster, log=layout.log)


def _ensure_database(layout: Layout) -> None:
    known = f"select 1 from pg_database where datname = '{DATABASE}'"  # noqa: S608 - a constant
    try:
        if not ask(layout.socket_dir, "postgres", known):
            ask(layout.socket_dir, "postgres", f"create database {DATABASE} owner {ROLE}")
        ensure_search_path(layout.socket_dir, DATABASE)
        ensure_sql_role(layout.socket_dir, DATABASE)
    except Refused as refusal:
        # A server that is full of connections serves a database that exists.
        if refusal.code != TOO_MANY_CONNECTIONS:
            raise explain.from_output(str(refusal), place=layout.cluster) from refusal


def _read_from(log: Path, start: int) -> str:
    with log.open("rb") as file:
        file.seek(start)
        return file.read().decode(errors="replace")
