"""Attempts as people may see them: secret fields masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from headrace.aside import by_size
from headrace.model.job.status import JobStatus
from headrace.model.payload.stored_json import read_json
from headrace.model.secret.fields import mask_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRecord:
    """What came of one run."""

    run: int
    outcome: str
    final: JobStatus | None
    worker: str | None
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime
    error: str | None
    traceback: str | None
    result: Any
    detail: dict[str, Any] | None

    @classmethod
    def read(cls, row: dict[str, Any]) -> Self:
        """From a row."""
        for name in ("result", "detail"):
            row[name] = None if row[name] is None else mask_fields(read_json(row[name]))
        row["final"] = None if row["final"] is None else JobStatus(row["final"])
        return cls(**row)


async def read_attempts(rows: Sequence[Any]) -> list[AttemptRecord]:
    """Attempts from their rows; beside the loop where all of them together are large."""
    size = sum(len(row["result"] or "") + len(row["detail"] or "") for row in rows)
    return await by_size(size, lambda: [AttemptRecord.read(dict(row)) for row in rows])
