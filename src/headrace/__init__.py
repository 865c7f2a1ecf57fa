"""Headrace: a job control plane on PostgreSQL.

What is here is imported when it is first used, so that a command line or a child process loads what it needs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.app.headrace import Headrace
    from headrace.app.job_function import JobFunction
    from headrace.context import Context
    from headrace.errors import BadRequest, Conflict, HeadraceError, LeaseLost, NotFound, ValidationError
    from headrace.model.job.job import Job
    from headrace.model.job.outcome import Cancel, Fail, Retry, Snooze
    from headrace.model.job.retry import RetryPolicy
    from headrace.model.job.status import JobStatus
    from headrace.service.principal import Principal
    from headrace.version import __version__

_HOMES = {
    "BadRequest": "errors",
    "Cancel": "model.job.outcome",
    "Conflict": "errors",
    "Context": "context",
    "Fail": "model.job.outcome",
    "Headrace": "app.headrace",
    "HeadraceError": "errors",
    "Job": "model.job.job",
    "JobFunction": "app.job_function",
    "JobStatus": "model.job.status",
    "LeaseLost": "errors",
    "NotFound": "errors",
    "Principal": "service.principal",
    "Retry": "model.job.outcome",
    "RetryPolicy": "model.job.retry",
    "Snooze": "model.job.outcome",
    "ValidationError": "errors",
    "__version__": "version",
}

__all__ = [
    "BadRequest",
    "Cancel",
    "Conflict",
    "Context",
    "Fail",
    "Headrace",
    "HeadraceError",
    "Job",
    "JobFunction",
    "JobStatus",
    "LeaseLost",
    "NotFound",
    "Principal",
    "Retry",
    "RetryPolicy",
    "Snooze",
    "ValidationError",
    "__version__",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'headrace' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"headrace.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
