"""From a driver's error to what is wrong with the database itself, in words that tell a stranger nothing."""

from __future__ import annotations

import traceback

import asyncpg

from headrace.errors import DatabaseAway, DatabaseBusy, DatabaseFull, DatabaseReadOnly, DatabaseUnusable

FULL, READ_ONLY, CANCELED = "53100", "25006", "57014"
# It is there, and could not do it now: a deadlock, a lock, no memory, no connection, a statement that took too long.
BUSY = ("40", "53", "55P03", CANCELED)
# The connection broke, or the server starts or stops.
AWAY = ("08", "57P", "25P03")


def trouble(error: BaseException) -> DatabaseUnusable | None:
    """What is wrong with the database, or none when the error is about something else."""
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str):
        return _by_state(state)
    if isinstance(error, asyncpg.InternalClientError):
        return DatabaseAway()
    if isinstance(error, asyncpg.InterfaceError):  # of values too, which are not its fault
        return DatabaseAway() if "closed" in str(error) else None
    # Files and other servers fail in the same way: only what the driver met is the database's.
    return DatabaseAway() if isinstance(error, OSError) and _met_by_driver(error) else None


def _by_state(state: str) -> DatabaseUnusable | None:
    if state == FULL:
        return DatabaseFull()
    if state == READ_ONLY:
        return DatabaseReadOnly()
    if state.startswith(BUSY):
        return DatabaseBusy()
    return DatabaseAway() if state.startswith(AWAY) else None


def _met_by_driver(error: BaseException) -> bool:
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(str(frame.f_globals.get("__name__")).startswith(("asyncpg.", "headrace.db.")) for frame in frames)
