"""One call of a function, in a transaction that ends with the worker, whatever becomes of either."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection

import asyncpg

from headrace.db.connect import OwnConnection
from headrace.db.statements import statements
from headrace.executors.sql.answer import call_function
from headrace.executors.sql.control import Backend
from headrace.executors.sql.ended import TOO_LATE, SqlEnded, ended_by, failed, timed_out
from headrace.executors.sql.function import NotRunnable, SqlFunction, find_call
from headrace.tracing import carried

SQL = statements(__file__)

LOCK_TIMEOUT = 30.0
IDLE_TIMEOUT = 30.0
LEAST_GRACE = 0.1
MOST_MS = 2_147_483_647
HAS_TRANSACTION_TIMEOUT = 17

# What a call can raise once it runs: errors of the server, of the driver, of the network.
TROUBLE = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


class Call:
    """The transaction around a function. `stopped` decides, until the moment of commit, that nothing is kept."""

    def __init__(self, connection: OwnConnection, function: SqlFunction, backend: Backend) -> None:
        self.connection = connection
        self.function = function
        self.backend = backend
        self.stopped = False
        self._committing = False

    async def work(self, payload: str, *, allowed: Collection[str], timeout: float | None) -> SqlEnded:
        """Call the function, keep its work or not, and say what came of it. Never raises."""
        deadline = _now() + timeout if timeout is not None else math.inf
        try:
            ended = await self._work(payload, allowed, deadline)
        except NotRunnable as reason:
            ended = failed(str(reason))
        except TROUBLE as error:
            ended = ended_by(error, late=_now() >= deadline, committing=self._committing)
        await self._leave()
        if ended is TOO_LATE and timeout is not None and _now() >= deadline:
            return timed_out(timeout, forced=False)
        return ended

    async def _work(self, payload: str, allowed: Collection[str], deadline: float) -> SqlEnded:
        call = await find_call(self.connection, self.function, allowed=allowed)
        answer = await call_function(self.connection, call, self.function, payload)
        # By the clock too: a function may swallow the server's timeout and return before a busy loop sees its own.
        if self.stopped or _now() >= deadline:
            return TOO_LATE
        if answer.keep:
            self._committing = True
            said = await self.connection.execute("commit")
            if said != "COMMIT":  # the server's way to say that there was nothing left to commit
                return failed(f"the transaction ended in {said}: the work was rolled back")
        return answer.ended

    async def _leave(self) -> None:
        """Without a transaction, so that no lock outlives the call."""
        try:
            if not self.connection.is_closed() and self.connection.is_in_transaction():
                await self.connection.execute("rollback")
        except TROUBLE:
            self.connection.terminate()


async def begin_call(
    connection: OwnConnection, function: SqlFunction, *, timeout: float | None, kill_grace: float
) -> Call:
    """Begin the transaction and arm it. In autocommit a function would commit though its worker was dead."""
    await connection.execute("begin")
    row = await connection.fetchrow(
        SQL["arm"],
        _milliseconds(timeout),
        _milliseconds(LOCK_TIMEOUT),
        _milliseconds(IDLE_TIMEOUT),
        function.schema,
        function.name,
        carried.current() or "",
    )
    if timeout is not None and connection.get_server_version().major >= HAS_TRANSACTION_TIMEOUT:
        await connection.execute(SQL["arm_transaction"], _milliseconds(timeout + max(kill_grace, LEAST_GRACE)))
    if row is None:
        raise asyncpg.InterfaceError("the server does not know this session")
    return Call(connection, function, Backend(row["pid"], row["backend_start"]))


def _now() -> float:
    return asyncio.get_running_loop().time()


def _milliseconds(seconds: float | None) -> str:
    """As the server takes it; zero is for ever."""
    return "0" if seconds is None else str(min(max(math.ceil(seconds * 1000), 1), MOST_MS))
