"""One way to open a connection, so that every session has the same settings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import asyncpg

from headrace.db.hosts import TIMEOUT, each_host, open_connection, take_timeout
from headrace.errors import DatabaseAway

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

# A busy machine needs that long for a login.
LEAST_TO_CONNECT = 3.0

# What a role, a database or a server may have for others would have our statements fail or mean something else.
# Whoever is too slow is not ended by a clock of theirs: our own bounds are set where they are needed.
OWN_TERMS = {
    "default_transaction_isolation": "read committed",
    "default_transaction_deferrable": "off",
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "row_security": "on",
    # Who may create functions in another schema of the path would else have us run them in place of the server's own.
    "search_path": "pg_catalog",
    "DateStyle": "ISO, MDY",
    "IntervalStyle": "postgres",
    "standard_conforming_strings": "on",
}
# Settings that came later, each with the version it came with.
NEWER_TERMS = {"transaction_timeout": (17, "0")}

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

# What whoever starts waits for: also a server that met a fault of its own, such as a disk's or a bug.
# A table or a right that is missing does not pass, nor does a wrong password.
PASSING: tuple[type[BaseException], ...] = (
    *TRANSIENT,
    asyncpg.PostgresSystemError,
    asyncpg.InternalServerError,
    DatabaseAway,
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the database is, and whether a transaction pooler stands before it."""

    url: str
    pooled: bool = False

    @property
    def several(self) -> bool:
        """Whether the URL names more than one host."""
        return len(each_host(self.url)) > 1

    def options(self, name: str, session: dict[str, str]) -> dict[str, Any]:
        """What asyncpg needs to know; a pooler allows neither session settings nor prepared statements."""
        options: dict[str, Any] = {"dsn": self.url}
        if self.pooled:
            return options | {"statement_cache_size": 0}
        return options | {"server_settings": {**session, "application_name": f"headrace {name}"[:63]}}

    async def connect(self, name: str, *, command_timeout: float | None = None) -> OwnConnection:
        """A connection of its own, outside any pool. Who wants answers soon does not wait long for it either."""
        within = max(command_timeout, LEAST_TO_CONNECT) if command_timeout and command_timeout < TIMEOUT else None
        options = self.options(name, BATCHES) | {"command_timeout": command_timeout, "within": within}
        return await self._open(**options)

    @property
    def _open(self) -> Callable[..., Awaitable[OwnConnection]]:
        # Behind a pooler a setting would stay with a backend that others use next.
        return open_connection if self.pooled else _open_on_own_terms

    async def pool(self, name: str, *, size: int, session: dict[str, str] = SESSION) -> Pool:
        """A pool that opens connections as they are needed."""
        try:
            options = self.options(name, session) | {"connect": self._open}
            return await asyncpg.create_pool(min_size=0, max_size=size, reset=_keep_session, **options)
        except CANNOT_CONNECT as error:
            raise unreachable(self.url, error) from error


async def _open_on_own_terms(dsn: str, **options: Any) -> OwnConnection:
    """With our own settings. Not as parameters of the start: session poolers refuse those that they do not know."""
    connection = await open_connection(dsn, **options)
    version = connection.get_server_version().major
    newer = {name: value for name, (since, value) in NEWER_TERMS.items() if version >= since}
    try:
        await connection.execute("; ".join(f"set {name} = '{value}'" for name, value in (OWN_TERMS | newer).items()))
    except BaseException:
        connection.terminate()
        raise
    return connection


async def _keep_session(_connection: Connection) -> None:
    """Nothing we do changes a session, so there is nothing to reset: a round trip less for each use."""


def unreachable(url: str, error: BaseException) -> DatabaseAway:
    """The sentence for a database that does not answer, without the password."""
    why = str(error)
    if isinstance(error, TimeoutError) and not why:
        why = f"no response within {take_timeout(url)[1]:g} s"
    return DatabaseAway(
        f"cannot connect to PostgreSQL at {place(url)}: {why or type(error).__name__}. Check HEADRACE_DATABASE_URL."
    )


def place(url: str) -> str:
    """The host and the database of a URL, without user and password."""
    parts = urlsplit(url)
    return "".join(parse_qs(parts.query).get("host", [])) + parts.netloc.rpartition("@")[-1] + parts.path
