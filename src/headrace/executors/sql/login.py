"""The login of SQL jobs: a function may change the settings of its own role, and the next login undoes that."""

from __future__ import annotations

from typing import Any

import asyncpg

from headrace.db.connect import Endpoint, OwnConnection
from headrace.db.hosts import open_connection
from headrace.db.statements import statements
from headrace.log import get_logger

SQL = statements(__file__)
log = get_logger("headrace.sql")

# Each of these, set for the role, would end a session before it could mend the role, or keep the session from mending.
# What a login brings along is stronger than what a role has.
TERMS = {
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "tcp_user_timeout": "0",
    "local_preload_libraries": "",
    "default_transaction_read_only": "off",
    "search_path": "pg_catalog",
    "role": "none",
}
# Servers before 17 do not know the last setting, and session poolers take none.
LADDER: tuple[dict[str, str], ...] = ({**TERMS, "transaction_timeout": "0"}, TERMS, {})
NOT_TAKEN = (asyncpg.UndefinedObjectError, asyncpg.ProtocolViolationError)
# How far down each server made us go, so that its log has one refusal and not one for each login.
_taken: dict[str, int] = {}
TRIES = 3
LOOK_SECONDS = 5.0


class SqlLogin(Endpoint):
    """Logs in as the role of SQL jobs, in sessions that have no setting of the role."""

    __slots__ = ()

    async def connect(self, name: str, *, command_timeout: float | None = None) -> OwnConnection:
        """A session without settings of the role: where it has some they are removed, and another session is begun."""
        for tried in range(1, TRIES + 1):
            connection = await self.log_in(name, command_timeout=command_timeout)
            try:
                if tried == TRIES or not await _mend(connection):
                    return connection
            except BaseException:
                connection.terminate()
                raise
            await connection.close(timeout=LOOK_SECONDS)
        raise AssertionError("the loop above returns")

    async def log_in(self, name: str, **options: Any) -> OwnConnection:
        """A session as it comes, whatever the role has."""
        # Without prepared statements: between two calls everything that a session can hold is discarded.
        options |= {"statement_cache_size": 0}
        for place in range(_taken.get(self.url, 0), len(LADDER)):
            try:
                connection = await open_connection(**self.options(name, LADDER[place]), **options)
            except NOT_TAKEN:
                if place == len(LADDER) - 1:
                    raise
            else:
                _taken[self.url] = place
                return connection
        raise AssertionError("the last place raises or returns")


async def _mend(connection: OwnConnection) -> bool:
    """Remove the settings of the role, and tell whether there were any that it could have made."""
    before = await settings_of_role(connection)
    if not before:
        return False
    try:
        await connection.execute(SQL["reset_role"], timeout=LOOK_SECONDS)
    except asyncpg.PostgresError as error:  # another session is at it, or the server takes no writes
        log.warning("role settings kept: they cannot be removed", settings=before, error=str(error))
        return False
    removed = sorted(set(before) - set(await settings_of_role(connection)))
    if removed:
        log.warning("role settings removed: a SQL job may have made them", settings=removed)
    return bool(removed)


async def settings_of_role(connection: OwnConnection) -> list[str]:
    """What `ALTER ROLE … SET` has left, as `name=value`."""
    rows = await connection.fetch(SQL["list_settings"], timeout=LOOK_SECONDS)
    return [row[0] for row in rows]
