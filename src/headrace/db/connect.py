"""One way to open a connection, so that every session has the same settings."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import asyncpg

from headrace.db.hosts import open_connection
from headrace.errors import DatabaseUnusable

# asyncpg's classes are generic for the type checker only.
if TYPE_CHECKING:
    OwnConnection = asyncpg.Connection[asyncpg.Record]
    Connection = OwnConnection | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]
    Pool = asyncpg.Pool[asyncpg.Record]
else:
    OwnConnection, Connection, Pool = asyncpg.Connection, asyncpg.Connection, asyncpg.Pool

SESSION = {"jit": "off", "timezone": "UTC"}
# Plans prepared while the queue was empty are ruinous once it is full, hence a plan for each execution: right for
# batches. For the small statements of an application planning would cost more than running.
BATCHES = {**SESSION, "plan_cache_mode": "force_custom_plan"}

CANNOT_CONNECT = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TargetServerAttributeNotMatched,
    asyncio.TimeoutError,
)

# Worth trying again: the server is away, starting, stopping, not yet the primary, or ended our session or transaction.
TRANSIENT: tuple[type[BaseException], ...] = (
    *CANNOT_CONNECT,
    asyncpg.InterfaceError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.TransactionRollbackError,
    asyncpg.LockNotAvailableError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.InternalClientError,
    asyncpg.ReadOnlySQLTransactionError,
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the database is, and whether a transaction pooler stands before it."""

    url: str
    pooled: bool = False

    def options(self, name: str, session: dict[str, str]) -> dict[str, Any]:
        """What asyncpg needs to know; a pooler allows neither session settings nor prepared statements."""
        options: dict[str, Any] = {"dsn": self.url}
        if self.pooled:
            return options | {"statement_cache_size": 0}
        return options | {"server_settings": {**session, "application_name": f"headrace {name}"[:63]}}

    async def connect(self, name: str, *, command_timeout: float | None = None) -> OwnConnection:
        """A connection of its own, outside any pool."""
        return await open_connection(**self.options(name, BATCHES), command_timeout=command_timeout)

    async def pool(self, name: str, *, size: int, session: dict[str, str] = SESSION) -> Pool:
        """A pool that opens connections as they are needed."""
        try:
            options = self.options(name, session) | {"connect": open_connection}
            return await asyncpg.create_pool(min_size=0, max_size=size, reset=_keep_session, **options)
        except CANNOT_CONNECT as error:
            raise unreachable(self.url, error) from error


async def _keep_session(_connection: Connection) -> None:
    """Nothing we do changes a session, so there is nothing to reset: a round trip less for each use."""


def unreachable(url: str, error: BaseException) -> DatabaseUnusable:
    """The sentence for a database that does not answer, without the password."""
    return DatabaseUnusable(f"cannot connect to PostgreSQL at {place(url)}: {error}. Check HEADRACE_DATABASE_URL.")


def place(url: str) -> str:
    """The host and the database of a URL, without user and password."""
    where, _, query = url.rsplit("@", 1)[-1].partition("?")
    return "".join(parse_qs(query).get("host", [])) + where.split("://")[-1]
