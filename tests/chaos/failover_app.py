"""The jobs of `tests.chaos.jobs`, for a worker that hardly looks by itself: a notification must tell it of one."""

from __future__ import annotations

import os

from tests.chaos.jobs import hr

import headrace.worker.claims

setattr(headrace.worker.claims, "LOOKS", ())  # noqa: B010 - its type says three
os.environ["HEADRACE_JOBS_POLL_INTERVAL_MS"] = "60000"

__all__ = ["hr"]
