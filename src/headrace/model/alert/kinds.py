"""What an alert rule can look for, and the parameters that each kind takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from headrace.errors import BadRequest

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
DAY = 86_400.0
MOST_TEXT = 200


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number within a range or, without one, a name that may be left out: then it is about all."""

    about: str
    default: float | None = None
    low: float = 0
    high: float = 0
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A condition: in words, what its subjects are, and for how long it must be over before it has recovered."""

    about: str
    subject: Literal["definition", "queue", "trigger"]
    parameters: Mapping[str, Parameter]
    recover_after_seconds: float = 60.0


DEFINITION = Parameter("only jobs of this definition")
QUEUE = Parameter("only this queue")
TRIGGER = Parameter("only the trigger of this name")
WITHIN = Parameter("how long one is remembered, in seconds", 900.0, 1, 30 * DAY)

KINDS: Mapping[AlertKind, Kind] = {
    "job_died": Kind(
        "a job used up its attempts, and nobody has retried it",
        "definition",
        {"definition": DEFINITION, "within_seconds": WITHIN},
        recover_after_seconds=0.0,
    ),
    "failures_in_a_row": Kind(
        "the last n jobs of a definition all failed",
        "definition",
        {"definition": DEFINITION, "n": Parameter("how many in a row", 3, 1, 1000, whole=True)},
        recover_after_seconds=0.0,
    ),
    "failure_rate": Kind(
        "too many attempts fail",
        "definition",
        {
            "definition": DEFINITION,
            "percent": Parameter("how many of a hundred attempts", 50.0, 0.1, 100),
            "within_seconds": Parameter("how far it looks back, in whole minutes", 900.0, 60, DAY),
            "min_attempts": Parameter("with fewer it says nothing", 10, 1, 1_000_000, whole=True),
        },
    ),
    "oldest_queued": Kind(
        "a job waits for too long in a queue that is not paused",
        "queue",
        {"queue": QUEUE, "seconds": Parameter("how long is too long", 300.0, 1, 30 * DAY)},
    ),
    "no_worker": Kind(
        "jobs wait, and no live worker runs them; of a queue that is named, also when none wait",
        "queue",
        {"queue": QUEUE, "seconds": Parameter("for how long", 60.0, 1, 30 * DAY)},
    ),
    "missed_fire": Kind(
        "a due time of a trigger came to nothing, nobody fires it, or its definition is gone",
        "trigger",
        {
            "trigger": TRIGGER,
            "within_seconds": WITHIN,
            "late_seconds": Parameter("a trigger that is due for so long is missed", 120.0, 10, 30 * DAY),
        },
        recover_after_seconds=0.0,
    ),
    "trigger_disabled": Kind(
        "a trigger was turned off by an error, or because its jobs failed",
        "trigger",
        {"trigger": TRIGGER},
        recover_after_seconds=0.0,
    ),
    "running_long": Kind(
        "a job runs for much longer than its definition's usual time, which is the median of seven days",
        "definition",
        {
            "definition": DEFINITION,
            "times": Parameter("how many times the usual is too long", 3.0, 1.1, 1000),
            "min_seconds": Parameter("shorter runs are never too long", 60.0, 1, 30 * DAY),
            "min_runs": Parameter("with fewer runs nothing is usual", 5, 1, 1_000_000, whole=True),
        },
        recover_after_seconds=0.0,
    ),
}


def complete_parameters(kind: AlertKind, given: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of the kind, with defaults for what was not said, or `BadRequest`."""
    known = KINDS[kind].parameters
    if unknown := sorted(set(given) - set(known)):
        raise BadRequest(f"{kind} has no parameter {unknown[0]}; it has {', '.join(known)}", field="parameters")
    return {name: _value(name, one, given.get(name)) for name, one in known.items()}


def _value(name: str, parameter: Parameter, value: Any) -> Any:
    if value is None:
        return parameter.default
    if parameter.default is None:
        return _name(name, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRequest(f"{name} is a number, not {value!r}", field=f"parameters.{name}")
    if not parameter.low <= value <= parameter.high:
        raise BadRequest(
            f"{name} is {parameter.low:,g} to {parameter.high:,g}, not {value:g}", field=f"parameters.{name}"
        )
    if parameter.whole and value != int(value):
        raise BadRequest(f"{name} is a whole number, not {value!r}", field=f"parameters.{name}")
    return int(value) if parameter.whole else float(value)


def _name(name: str, value: Any) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= MOST_TEXT or "\0" in value:
        raise BadRequest(
            f"{name} is a name of 1 to {MOST_TEXT} characters, not {value!r:.100}", field=f"parameters.{name}"
        )
    return value
