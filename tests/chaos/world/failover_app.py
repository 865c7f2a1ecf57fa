"""The jobs of `tests.chaos.world.jobs`, for a worker that hardly polls: only a notification can wake it."""

from __future__ import annotations

import os

from tests.chaos.world.jobs import hr

import headrace.worker.claim.claim_session

setattr(headrace.worker.claim.claim_session, "LOOKS", ())  # noqa: B010 - its type says three
os.environ["HEADRACE_JOBS_POLL_INTERVAL_MS"] = "60000"

__all__ = ["hr"]
