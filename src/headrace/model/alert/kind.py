"""The names of what an alert rule can look for."""

from __future__ import annotations

from typing import Literal, get_args

AlertKind = Literal[
    "job_died",
    "failures_in_a_row",
    "failure_rate",
    "oldest_queued",
    "no_worker",
    "missed_fire",
    "trigger_disabled",
    "running_long",
]
ALERT_KINDS: tuple[AlertKind, ...] = get_args(AlertKind)
