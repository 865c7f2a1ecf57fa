"""What a server must be before we trust it with jobs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

import asyncpg

from headrace.db.connect import CANNOT_CONNECT, PASSING, Connection, Endpoint, place, unreachable
from headrace.errors import DatabaseAway, DatabaseUnusable

OLDEST_VERSION = 15
SKEW_WORTH_A_WARNING = 5.0
Pooler = Literal["auto", "none", "transaction"]


@dataclass(frozen=True, slots=True)
class ServerReport:
    """What was found at start."""

    version: int
    pooled: bool
    clock_skew: float

    @property
    def warnings(self) -> list[str]:
        found = []
        if self.pooled:
            found.append(
                "transaction pooler detected in front of PostgreSQL: no notifications and no prepared statements, "
                "so workers poll; connect directly or through a session pool for lower latency"
            )
        if abs(self.clock_skew) > SKEW_WORTH_A_WARNING:
            found.append(
                f"clock difference detected: this machine is {self.clock_skew:+.1f} s from the database. "
                "Only the database's clock decides, but log times will not agree"
            )
        return found


async def check_server(url: str, *, pooler: Pooler = "auto") -> ServerReport:
    """Refuse a server that cannot keep a promise; find out what stands between, unless we are told."""
    plain = Endpoint(url, pooled=True)
    try:
        connection = await plain.connect("check")
    except CANNOT_CONNECT as error:
        raise unreachable(url, error) from error
    except asyncpg.PostgresError as error:
        kind = DatabaseAway if isinstance(error, PASSING) else DatabaseUnusable
        raise kind(
            f"PostgreSQL at {place(url)} refused the connection: {error}. Check HEADRACE_DATABASE_URL."
        ) from error
    except ValueError:
        raise DatabaseUnusable(
            "HEADRACE_DATABASE_URL cannot be read: write it as postgresql://user:password@host:5432/database, with "
            "special characters of the password as %40 and the like."
        ) from None
    try:
        version, fsync, standby, now, backend = await connection.fetchrow(  # type: ignore[misc]
            "select current_setting('server_version_num')::int, current_setting('fsync'),"
            " pg_is_in_recovery(), extract(epoch from clock_timestamp())::float8, pg_backend_pid()"
        )
        skew = time.time() - now
        refuse_unfit(version, fsync, standby=standby)
        # A pooler makes up the process id that a client is told, so this costs nothing where there is none.
        if pooler == "auto":
            pooled = connection.get_server_pid() != backend and await _shares_backends(plain, connection)
        else:
            pooled = pooler == "transaction"
    finally:
        await connection.close()
    return ServerReport(version // 10_000, pooled, skew)


def refuse_unfit(version: int, fsync: str, *, standby: bool = False) -> None:
    """Raise with a sentence that says what to do."""
    if version < OLDEST_VERSION * 10_000:
        raise DatabaseUnusable(
            f"PostgreSQL {version // 10_000} is too old: Headrace needs {OLDEST_VERSION} or newer. "
            "Upgrade the server, or unset HEADRACE_DATABASE_URL to use the embedded one."
        )
    if fsync != "on":
        raise DatabaseUnusable("the server runs with fsync=off and would lose accepted jobs in a crash. Set fsync=on.")
    if standby:
        raise DatabaseUnusable(
            "the server is a standby and refuses writes. Name the primary in HEADRACE_DATABASE_URL, or all hosts, "
            "as in postgresql://user@one,two/database: Headrace then finds the host that accepts writes."
        )


async def _shares_backends(plain: Endpoint, first: Connection) -> bool:
    """Whether two clients that are both connected are served by the same backend: a transaction pooler."""
    before = await first.fetchval("select pg_backend_pid()")
    second = await plain.connect("check")
    try:
        async with second.transaction():
            other = await second.fetchval("select pg_backend_pid()")
            if before == other:  # perhaps the only backend there is: the first client would wait for it in vain
                return True
            after = await first.fetchval("select pg_backend_pid()")
    finally:
        await second.close()
    return bool(before != after)
