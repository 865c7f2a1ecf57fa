"""A job as the worker sees it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from headrace.model.job.retry import RetryPolicy


class FunctionName(NamedTuple):
    """The function of an SQL definition."""

    schema: str
    name: str
    signature: str


class Terms(NamedTuple):
    """How a definition runs, as code or an operator set it; in a fair queue its tenants take turns."""

    definition: str
    timeout: float | None = None
    retry: RetryPolicy = RetryPolicy()
    function: FunctionName | None = None
    fair: bool = False
    queue: str = "default"


class ClaimedJob(NamedTuple):
    """A job that this worker holds. `run` is the fence: a later claim has a higher one."""

    id: UUID
    run: int
    spent: int
    max_attempts: int
    terms: Terms
    tenant: str
    payload: str
    correlation_id: str | None
    scheduled_for: datetime | None
    source: str
    suspect: bool = False
    trace_context: str | None = None

    @property
    def definition(self) -> str:
        return self.terms.definition

    @property
    def attempt(self) -> int:
        """Which attempt this is, counted from 1."""
        return self.spent + 1

    def about(self) -> dict[str, Any]:
        """Whose line it is, in the words that all lines of a log have."""
        return {
            "job_id": str(self.id),
            "tenant": self.tenant,
            "definition": self.definition,
            "attempt_no": self.attempt,
            "run": self.run,
        }
