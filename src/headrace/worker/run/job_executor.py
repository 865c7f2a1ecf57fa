"""What an executor of one kind of job gives, and what it is made with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from headrace.executors.sql.executor import SqlExecutor
from headrace.worker.claim.slots import Run


@dataclass(frozen=True, slots=True)
class Tools:
    """What a worker makes its executors with. `on_stuck` counts threads that were given up and still run."""

    lease: float
    kill_grace: float
    on_stuck: Callable[[int], None]
    sql: SqlExecutor | None = None


class JobExecutor(Protocol):
    """How jobs of one kind run. `worker.run.dispatch` lists the executors."""

    async def run(self, run: Run) -> Any:
        """The handler's value, or an outcome. A cancelled run is gone before this raises, where it can be ended."""

    def passed_secrets(self, handler: Any) -> Sequence[str]:
        """Secret values that the handler gets beside its payload."""
        return ()

    def can_be_ended(self, handler: Any) -> bool:
        """Whether a run that is given up is really gone."""
        return True

    def grace(self, handler: Any) -> float:
        """How long a run of this handler may take to stop, where that is longer than the worker's own grace."""
        return 0.0

    def live(self) -> None:
        """The lease is held. Called from the heartbeat's thread."""

    async def close(self) -> None:
        """End whatever still runs."""
