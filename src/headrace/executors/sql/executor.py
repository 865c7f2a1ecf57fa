"""Functions of the database as jobs, on connections of their own LOGIN role."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import asyncpg

from headrace.aio import wait_for_event
from headrace.db.connect import CANNOT_CONNECT, TRANSIENT, OwnConnection, place
from headrace.executors.sql.call import TROUBLE, Call, begin_call
from headrace.executors.sql.control import Control
from headrace.executors.sql.ended import SqlEnded, failed, timed_out
from headrace.executors.sql.function import SqlFunction
from headrace.executors.sql.login import SqlLogin
from headrace.executors.sql.notices import Notices, OnNotice
from headrace.executors.sql.role import RoleRefused, refuse_mighty_role
from headrace.log import get_logger

log = get_logger("headrace.sql")
CLOSE_SECONDS = 2.0
RESET_SECONDS = 5.0
UNREACHABLE = (*CANNOT_CONNECT, asyncpg.PostgresError, asyncpg.InterfaceError)


class SqlExecutor:
    """At most `size` calls at once. Never by SET ROLE, which a function can undo: the URL's role is the fence."""

    def __init__(self, url: str, *, size: int = 4, allowed_schemas: Sequence[str] = ("public",)) -> None:
        self._endpoint = SqlLogin(url)
        self._allowed = frozenset(allowed_schemas)
        self._control = Control(self._endpoint)
        self._places = asyncio.Semaphore(size)
        self._idle: list[OwnConnection] = []
        self._calls: dict[Call, asyncio.Task[SqlEnded]] = {}
        self._closed = False

    async def check_role(self) -> None:
        """Raise `RoleRefused` at start. A server that does not answer is no reason: each new connection is checked."""
        try:
            await _close(await self._connect())
        except UNREACHABLE as error:
            log.warning("SQL jobs delayed", place=place(self._endpoint.url), error=str(error))

    async def run(
        self, function: SqlFunction, payload: str, *, timeout: float | None, kill_grace: float, on_notice: OnNotice
    ) -> SqlEnded:
        """What came of the call; cancelling this ends it. Returns only when nothing of the call goes on.

        A call that was cancelled raises `CancelledError`, unless its work was committed just before.
        """
        async with self._places:
            try:
                call = await self._begin(function, timeout, kill_grace)
            except RoleRefused as refusal:
                return failed(str(refusal))
            except UNREACHABLE as error:
                return failed(f"cannot run SQL jobs at {place(self._endpoint.url)}: {type(error).__name__}: {error}")
            work = asyncio.create_task(call.work(payload, allowed=self._allowed, timeout=timeout))
            self._calls[call] = work
            try:
                with Notices(call.connection, on_notice):
                    ended = await self._see_through(call, work, timeout, kill_grace)
                # What is done is done: a cancellation that comes now must not hide it.
                keep = asyncio.create_task(self._keep(call.connection))
                while not keep.done():
                    with suppress(asyncio.CancelledError):
                        await asyncio.wait({keep})
                return ended
            except BaseException:
                call.connection.terminate()
                raise
            finally:
                del self._calls[call]

    async def close(self) -> None:
        """End all calls, and give the connections back."""
        self._closed = True
        for call, work in list(self._calls.items()):
            call.stopped = True
            await self._control.terminate(call.backend)
            await asyncio.wait({work}, timeout=CLOSE_SECONDS)
        while self._idle:
            await _close(self._idle.pop())
        await self._control.close()

    async def _begin(self, function: SqlFunction, timeout: float | None, kill_grace: float) -> Call:
        while True:
            if self._closed:
                raise asyncpg.InterfaceError("the worker is closing")
            used = self._idle.pop() if self._idle else None
            connection = used or await self._connect()
            try:
                return await begin_call(connection, function, timeout=timeout, kill_grace=kill_grace)
            except BaseException as error:
                connection.terminate()
                # One that lay idle may have been cut since; nothing has been called yet, so another will do.
                if used is None or not isinstance(error, TRANSIENT):
                    raise

    async def _connect(self) -> OwnConnection:
        connection = await self._endpoint.connect("sql")
        try:
            await refuse_mighty_role(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    async def _see_through(
        self, call: Call, work: asyncio.Task[SqlEnded], timeout: float | None, kill_grace: float
    ) -> SqlEnded:
        canceled = False
        try:
            await asyncio.wait({work}, timeout=timeout)
        except asyncio.CancelledError:
            canceled = True
        if work.done() and not canceled:
            return work.result()
        hurry = asyncio.Event()
        stop = asyncio.create_task(self._stop(call, work, kill_grace, hurry))
        while not stop.done():
            try:
                await asyncio.wait({stop})
            except asyncio.CancelledError:
                canceled = True
                hurry.set()
        forced, ended = stop.result(), work.result()
        if ended.committed:
            return ended
        if canceled or timeout is None:
            raise asyncio.CancelledError
        return timed_out(timeout, forced=forced)

    async def _stop(self, call: Call, work: asyncio.Task[SqlEnded], kill_grace: float, hurry: asyncio.Event) -> bool:
        """Cancel, and after the grace, or when hurried, end the session; true when it took that."""
        call.stopped = True
        work.add_done_callback(lambda _: hurry.set())
        deadline = asyncio.get_running_loop().time() + kill_grace
        with suppress(TimeoutError):
            async with asyncio.timeout(kill_grace):
                await self._control.cancel(call.backend)
        await wait_for_event(hurry, deadline - asyncio.get_running_loop().time())
        forced = not work.done()
        # In any case: the connection is not used again, for a late cancel could reach the next call.
        await self._control.terminate(call.backend)
        call.connection.terminate()
        await asyncio.wait({work})
        return forced

    async def _keep(self, connection: OwnConnection) -> None:
        """Nothing of a call must reach the next: no setting, lock, temporary table or listener."""
        try:
            if not connection.is_closed():
                await connection.execute("discard all", timeout=RESET_SECONDS)
        except TROUBLE:
            connection.terminate()
        if connection.is_closed() or self._closed:
            await _close(connection)
        else:
            self._idle.append(connection)


async def _close(connection: OwnConnection) -> None:
    if connection.is_closed():
        return
    try:
        await connection.close(timeout=CLOSE_SECONDS)
    except TRANSIENT:
        connection.terminate()
