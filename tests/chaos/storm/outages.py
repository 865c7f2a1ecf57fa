"""What is done to PostgreSQL itself: it crashes, stands still, and its sessions and tables go away for a moment."""

from __future__ import annotations

import asyncio
import time

from tests.chaos.storm.deployment import Deployment
from tests.chaos.storm.plan import Injection

from headrace.aio import wait_for_event
from headrace.db.connect import TRANSIENT

# Whoever shares the embedded server has brought it back by then, though it may be frozen or start just now.
BACK_WITHIN = 100.0
MOMENT = 0.6
END_SESSION = (
    "select application_name from (select pid, application_name from pg_stat_activity where pid <> pg_backend_pid()"
    " and application_name like 'headrace %' order by random() limit 1) as victim where pg_terminate_backend(pid)"
)


class Outages:
    """One at a time."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self.stayed_dead: list[str] = []

    async def crash(self, _injection: Injection) -> str:
        """The postmaster is killed, and an operator starts it again."""
        async with self._deployment.database:
            await asyncio.to_thread(self._deployment.server.kill)
            await asyncio.to_thread(self._deployment.server.start)
        return "killed and started"

    async def crash_for_good(self, _injection: Injection) -> str:
        """The postmaster is killed, and nobody but Headrace starts it again."""
        async with self._deployment.database:
            await asyncio.to_thread(self._deployment.server.kill)
            deadline = time.monotonic() + BACK_WITHIN
            while not await self._answers():
                if time.monotonic() > deadline:
                    self.stayed_dead.append(f"nobody brought the embedded server back within {BACK_WITHIN:g} s")
                    break
                await wait_for_event(asyncio.Event(), 0.25)
            # Joins the one that runs, or starts it.
            await asyncio.to_thread(self._deployment.server.start)
        return "killed, and left to Headrace"

    async def freeze(self, injection: Injection) -> str:
        """Every process of the server stands still for half a lease to twice as long as one."""
        seconds = (0.5 + 1.5 * injection.chance) * self._deployment.lease
        async with self._deployment.database:
            await asyncio.to_thread(self._deployment.server.freeze)
            try:
                await wait_for_event(asyncio.Event(), seconds)
            finally:
                self._deployment.server.thaw()
        return f"{seconds:.1f} s"

    async def end_session(self, _injection: Injection) -> str | None:
        """As an administrator would, by mistake."""
        async with self._deployment.database:
            connection = await self._deployment.connect(timeout=5)
            try:
                ended: str | None = await connection.fetchval(END_SESSION)
                return ended
            finally:
                connection.terminate()

    async def rename_table(self, injection: Injection) -> str:
        """The table is not there for a moment, as in a migration that is not ours."""
        table = injection.target
        async with self._deployment.database:
            connection = await self._deployment.connect(timeout=10)
            try:
                await connection.execute("set lock_timeout = '3s'")
                await connection.execute(f"alter table headrace.{table} rename to storm_{table}")
                try:
                    await wait_for_event(asyncio.Event(), MOMENT * injection.chance)
                finally:
                    await connection.execute("set lock_timeout = 0")
                    await connection.execute(f"alter table headrace.storm_{table} rename to {table}")
            finally:
                connection.terminate()
        return table

    async def lock_table(self, injection: Injection) -> str:
        """Somebody holds the table for a moment."""
        async with self._deployment.database:
            connection = await self._deployment.connect(timeout=10)
            try:
                async with connection.transaction():
                    await connection.execute("set local lock_timeout = '3s'")
                    await connection.execute(f"lock table headrace.{injection.target} in access exclusive mode")
                    await wait_for_event(asyncio.Event(), 3 * MOMENT * injection.chance)
            finally:
                connection.terminate()
        return injection.target

    async def _answers(self) -> bool:
        try:
            connection = await self._deployment.connect(timeout=2)
        except TRANSIENT:
            return False
        connection.terminate()
        return True
