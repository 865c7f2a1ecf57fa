"""Headrace: a job control plane on PostgreSQL."""

from headrace.app import Headrace, JobFunction
from headrace.errors import (
    BadRequest,
    Conflict,
    HeadraceError,
    LeaseLost,
    NotFound,
    ValidationError,
)
from headrace.model.context import Context
from headrace.model.job import Job
from headrace.model.outcome import Cancel, Fail, Retry, Snooze
from headrace.model.retry import RetryPolicy
from headrace.model.status import JobStatus
from headrace.version import __version__

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
    "Retry",
    "RetryPolicy",
    "Snooze",
    "ValidationError",
    "__version__",
]
