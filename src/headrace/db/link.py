"""A connection for one long-lived purpose, opened when needed and replaced when it breaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from headrace.db.connect import TRANSIENT, Endpoint, OwnConnection
from headrace.errors import DatabaseAway as DatabaseAway  # what was asked may or may not have happened

# A connection cut without a word would otherwise be waited on for ever.
COMMAND_TIMEOUT = 30.0
# Where another host may have taken over, it is worth asking sooner.
COMMAND_TIMEOUT_OF_SEVERAL = 10.0


class Link:
    """One user at a time; a transient error closes the connection, and the next use opens another."""

    def __init__(self, endpoint: Endpoint, name: str, *, within: float | None = None) -> None:
        self._endpoint = endpoint
        self._name = name
        self._within = within
        self._connection: OwnConnection | None = None
        self._free = asyncio.Lock()

    @asynccontextmanager
    async def use(self) -> AsyncIterator[OwnConnection]:
        """The connection, outside a transaction. Transient trouble becomes `DatabaseAway`."""
        async with self._free:
            try:
                if self._connection is None or self._connection.is_closed():
                    self._connection = await self._endpoint.connect(self._name, command_timeout=self._answer_within())
                yield self._connection
            except TRANSIENT as error:
                self._drop()
                raise DatabaseAway(f"{type(error).__name__}: {error}") from error
            except asyncio.CancelledError:
                # A statement may be under way: the connection is in an unknown state.
                self._drop()
                raise

    async def close(self) -> None:
        """Say goodbye if the server still listens."""
        connection, self._connection = self._connection, None
        if connection is None or connection.is_closed():
            return
        try:
            await connection.close(timeout=2)
        except TRANSIENT:
            connection.terminate()

    def _answer_within(self) -> float:
        if self._within is not None:
            return self._within
        return min(COMMAND_TIMEOUT, COMMAND_TIMEOUT_OF_SEVERAL) if self._endpoint.several else COMMAND_TIMEOUT

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
