"""An alert in a sentence: what is wrong, and where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from headrace.model.alert.kind import AlertKind


def describe(kind: AlertKind, subject: str, count: int, measure: float | None, parameters: Mapping[str, Any]) -> str:
    """What a condition that holds means, without a full stop."""
    much = measure or 0.0
    match kind:
        case "job_died":
            return f"{_n(count, 'job')} of {subject} died"
        case "failures_in_a_row":
            return f"the last {_n(count, 'job')} of {subject} failed"
        case "failure_rate":
            return f"{much:.0f} % of the attempts of {subject} failed in the last {span(parameters['within_seconds'])}"
        case "oldest_queued":
            return f"a job has waited in queue {subject} for {span(much)}; {_waiting(count)}"
        case "no_worker":
            return f"no worker runs jobs of queue {subject}" + (f"; {_waiting(count)}" if count else "")
        case "missed_fire":
            return f"trigger {subject} {_missed(count, measure)}"
        case "trigger_disabled":
            return f"trigger {subject} was turned off by an error"
        case "running_long":
            return f"{_n(count, 'job')} of {subject} ran for {much:.1f} times the usual or longer"
    assert_never(kind)


def looks_for(kind: AlertKind, parameters: Mapping[str, Any]) -> str:
    """What a rule with these parameters looks for, without a full stop."""
    said: dict[str, Any] = {name: _words(name, value) for name, value in parameters.items()}
    definition, trigger = said.get("definition") or "any definition", said.get("trigger") or "any trigger"
    queue = f"queue {said['queue']}" if said.get("queue") else "any queue"
    match kind:
        case "job_died":
            return f"A job of {definition} has used up its attempts"
        case "failures_in_a_row":
            return f"The last {_n(said['n'], 'job')} of {definition} all failed"
        case "failure_rate":
            return f"{said['percent']:g} % of attempts of {definition} failed within {said['within_seconds']}"
        case "oldest_queued":
            return f"A job has waited for {said['seconds']} in {queue}"
        case "no_worker":
            return f"No live worker for {said['seconds']} for jobs in {queue}"
        case "missed_fire":
            return f"A due time of {trigger} made no job, or is late by {said['late_seconds']}"
        case "trigger_disabled":
            return f"An error, or failing jobs, turned off {trigger}"
        case "running_long":
            return f"A job of {definition} runs for {said['times']:g} times the usual, and for {said['min_seconds']}"
    assert_never(kind)


def _words(name: str, value: Any) -> Any:
    return span(value) if name.endswith("seconds") else value


def _missed(count: int, late: float | None) -> str:
    if count:
        return f"missed {_n(count, 'due time')}"
    if late is None:
        return "makes no jobs: its definition was deleted"
    return f"has been due for {span(late)}, and no scheduler fires it"


def span(seconds: float) -> str:
    """A length of time in one unit."""
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 2 * size or seconds == size:
            return _n(round(seconds / size), unit)
    return _n(round(seconds), "second")


def _waiting(count: int) -> str:
    return f"{_n(count, 'job')} {'waits' if count == 1 else 'wait'} there"


def _n(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
