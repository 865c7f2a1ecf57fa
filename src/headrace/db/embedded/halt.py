"""Stops the server, and clears what a killed one left behind."""

from __future__ import annotations

import os
from contextlib import suppress

from headrace.db.embedded.layout import PORT, Layout
from headrace.db.embedded.locks import FileLock
from headrace.db.embedded.patience import Patience
from headrace.db.embedded.processes import UNKNOWN, cluster_of, first_number, lives
from headrace.db.embedded.supervise import STOP_STEPS
from headrace.errors import EmbeddedServerError


def stop_server(layout: Layout) -> None:
    """Stop the server and wait until all its processes are gone; call it with the start lock held."""
    with FileLock(layout.alive_lock) as alive:
        for step, seconds in STOP_STEPS:
            # Its supervisor, now without owners, stops it too: that does no harm, and helps where the
            # process id means nothing to us, as in another container.
            if not alive.is_free():
                _signal(layout, step)
            if _wait_until_free(alive, seconds=seconds):
                with suppress(OSError):  # here too, for a server whose supervisor was killed
                    layout.socket_dir.rmdir()
                return
    raise EmbeddedServerError(
        f"The embedded PostgreSQL in {layout.cluster} does not stop. Find and end its postgres processes."
    )


def clear_stale_files(layout: Layout) -> None:
    """Remove a dead server's lock files that name a living process; call it when no server can be alive.

    PostgreSQL takes such a process, whose id was reused, for a server and refuses to start. A file that
    names a dead process stays, since PostgreSQL also looks there for shared memory still in use.
    """
    pid = first_number(layout.postmaster_pid)
    if pid and cluster_of(pid) in {layout.cluster.resolve(), UNKNOWN}:
        raise EmbeddedServerError(
            f"A PostgreSQL that Headrace did not start runs in {layout.cluster} (process {pid}). Stop it."
        )
    for path in (layout.postmaster_pid, layout.socket_dir / f".s.PGSQL.{PORT}.lock"):
        stale = first_number(path)
        if stale and lives(stale):
            path.unlink(missing_ok=True)


def _signal(layout: Layout, step: int) -> None:
    pid = first_number(layout.postmaster_pid)
    if pid and cluster_of(pid) == layout.cluster.resolve():
        with suppress(ProcessLookupError):
            os.kill(pid, step)


def _wait_until_free(lock: FileLock, *, seconds: float) -> bool:
    patience = Patience(seconds)
    while not lock.is_free():
        if not patience.lasts():
            return False
    return True
