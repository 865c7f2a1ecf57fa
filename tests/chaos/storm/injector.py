"""Injects what is planned, each fault beside the others, and writes down what was injected indeed."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import asyncpg
from tests.chaos.storm.deployment import Deployment
from tests.chaos.storm.outages import Outages
from tests.chaos.storm.plan import Injection
from tests.chaos.storm.producers import enqueue_surely
from tests.chaos.storm.proxy.trap import Trap
from tests.chaos.world.server import children_of

from headrace.aio import wait_for_event
from headrace.db.connect import TRANSIENT

# None of these can be caused by what a job's row holds.
SQLSTATES = ("42P01", "42501", "0A000", "58030", "XX000", "53100", "57014", "25006", "55P03", "40001", "42883", "53200")
IN_THE_WAY: tuple[type[BaseException], ...] = (*TRANSIENT, asyncpg.PostgresError, ProcessLookupError)
HOUR = 3600.0
LONGEST_FREEZE = 2.5


class Injected(NamedTuple):
    """A fault that struck."""

    kind: str
    target: str
    at: datetime
    until: datetime
    detail: str


class Injector:
    """Everything that is done to a deployment."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._outages = Outages(deployment)
        self._n = 0
        self.injected: list[Injected] = []
        self.stayed_dead = self._outages.stayed_dead

    async def run(self, plan: Sequence[Injection]) -> None:
        """Each at its time; returns when the last has passed."""
        began = time.monotonic()
        never = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            for injection in plan:
                await wait_for_event(never, max(0.0, began + injection.at - time.monotonic()))
                tasks.create_task(self._inject(injection))

    async def _inject(self, injection: Injection) -> None:
        began = datetime.now(UTC)
        how = self._ways().get(injection.kind, self._trap)
        try:
            detail = await how(injection)
        except IN_THE_WAY:
            return  # somebody else's fault was in the way
        if detail is not None:
            self.injected.append(Injected(injection.kind, injection.target, began, datetime.now(UTC), detail))

    def _ways(self) -> dict[str, Callable[[Injection], Awaitable[str | None]]]:
        outages = self._outages
        return {
            "kill-worker": self._kill,
            "kill-server": self._kill,
            "kill-child": self._kill_child,
            "freeze-worker": self._freeze,
            "freeze-server": self._freeze,
            "clock-jump": self._jump_clock,
            "poison": self._poison,
            "poison-child": self._poison,
            "bad-outcome": self._poison,
            "crash-database": outages.crash,
            "crash-embedded": outages.crash_for_good,
            "freeze-database": outages.freeze,
            "ended-session": outages.end_session,
            "renamed-table": outages.rename_table,
            "locked-table": outages.lock_table,
        }

    async def _trap(self, injection: Injection) -> str | None:
        deployment = self._deployment
        traps = deployment.http.traps if injection.target == "http" else deployment.proxies[injection.target].traps
        sqlstate = SQLSTATES[int(injection.chance * len(SQLSTATES))]
        sprung = await traps.lay(Trap(injection.kind, injection.aim or "any", sqlstate))
        return sprung if sprung is None or injection.kind != "refused-statement" else f"{sqlstate} for {sprung}"

    async def _kill(self, injection: Injection) -> str | None:
        resident = self._deployment.residents[injection.target]
        if not resident.is_up():
            return None
        resident.kill()
        return resident.life.name

    async def _kill_child(self, injection: Injection) -> str | None:
        resident = self._deployment.residents[injection.target]
        children = await asyncio.to_thread(children_of, resident.life.pid) if resident.is_up() else []
        if not children:
            return None
        child = children[int(injection.chance * len(children))]
        os.kill(child, signal.SIGKILL)
        return f"process {child} of {resident.life.name}"

    async def _freeze(self, injection: Injection) -> str | None:
        resident = self._deployment.residents[injection.target]
        if not resident.is_up() or resident.is_frozen():
            return None
        name, seconds = resident.life.name, (0.2 + LONGEST_FREEZE * injection.chance) * self._deployment.lease
        resident.freeze()
        await wait_for_event(asyncio.Event(), seconds)
        resident.thaw()
        return f"{name} for {seconds:.1f} s"

    async def _jump_clock(self, injection: Injection) -> str:
        seconds = (2 * injection.chance - 1) * 2 * HOUR
        self._deployment.residents[injection.target].set_clock(seconds)
        return f"{seconds:+.0f} s"

    async def _poison(self, injection: Injection) -> str:
        self._n += 1
        definition = injection.kind.replace("-", "_")
        payload: dict[str, object] = {"token": f"x.{self._n}"}
        if definition == "bad_outcome":
            payload["how"] = int(injection.chance * 4)
        await enqueue_surely(self._deployment, definition, payload)
        return definition
