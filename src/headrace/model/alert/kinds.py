"""What an alert rule can look for, and the parameters that each kind takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from headrace.errors import BadRequest
from headrace.model.alert.kind import AlertKind
from headrace.model.settings.setting import MOST, Setting
from headrace.model.settings.setting import Kind as SettingKind

DAY = 86_400
PARAMETERS = "Parameters"
MOST_TEXT = 200


@dataclass(frozen=True, slots=True)
class Kind:
    """A condition: in words, what its subjects are, and for how long it must be over before it has recovered."""

    label: str
    about: str
    subject: Literal["definition", "queue", "trigger"]
    parameters: Mapping[str, Setting]
    recover_after_seconds: float = 60.0


def _named(*parameters: Setting) -> dict[str, Setting]:
    return {one.name: one for one in parameters}


def _only(noun: str) -> Setting:
    """A name that may be left out: then the rule is about all."""
    return Setting(
        name=noun,
        kind="text",
        label=f"Only {noun}",
        help=f"Without a name the rule looks at every {noun}.",
        group=PARAMETERS,
        default=None,
        none=f"any {noun}",
        allowed=f"a name of 1 to {MOST_TEXT} characters",
    )


def _number(kind: SettingKind, name: str, default: float, ends: tuple[float, float], label: str, about: str) -> Setting:
    least, most = ends
    return Setting(
        name=name, kind=kind, label=label, help=about, group=PARAMETERS, default=default, least=least, most=most
    )


DEFINITION, QUEUE, TRIGGER = (_only(noun) for noun in ("definition", "queue", "trigger"))
LASTING = (1, 30 * DAY)
WITHIN = _number("duration", "within_seconds", 900.0, LASTING, "Forget it after", "Older events do not count.")

KINDS: Mapping[AlertKind, Kind] = {
    "job_died": Kind(
        "Jobs die",
        "A job has used up its attempts, and nobody has retried or deleted it.",
        "definition",
        _named(DEFINITION, WITHIN),
        recover_after_seconds=0.0,
    ),
    "failures_in_a_row": Kind(
        "Jobs fail in a row",
        "The last jobs of a definition all failed.",
        "definition",
        _named(DEFINITION, _number("count", "n", 3, (1, 1000), "How many in a row", "The number of last jobs.")),
        recover_after_seconds=0.0,
    ),
    "failure_rate": Kind(
        "Too many attempts fail",
        "Too many attempts of a definition fail.",
        "definition",
        _named(
            DEFINITION,
            _number("number", "percent", 50.0, (0.1, 100), "Percent", "How many of a hundred attempts fail."),
            _number("duration", "within_seconds", 900.0, (60, DAY), "Looks back", "In whole minutes."),
            _number("count", "min_attempts", 10, (1, MOST), "Of at least", "Fewer attempts open no alert."),
        ),
    ),
    "oldest_queued": Kind(
        "Jobs wait too long",
        "A job waits for too long in a queue that is not paused.",
        "queue",
        _named(QUEUE, _number("duration", "seconds", 300.0, LASTING, "Too long is", "How long a job may wait.")),
    ),
    "no_worker": Kind(
        "No worker",
        "Jobs wait, and no live worker runs them. For a named queue also when no jobs wait.",
        "queue",
        _named(QUEUE, _number("duration", "seconds", 60.0, LASTING, "For", "How long jobs may be without a worker.")),
    ),
    "missed_fire": Kind(
        "Due times are missed",
        "A due time of a trigger made no job, no scheduler fires the trigger, or its definition was deleted.",
        "trigger",
        _named(
            TRIGGER,
            WITHIN,
            _number("duration", "late_seconds", 120.0, (10, 30 * DAY), "Late is", "How long a trigger may be due."),
        ),
        recover_after_seconds=0.0,
    ),
    "trigger_disabled": Kind(
        "Triggers turned off by errors",
        "A trigger was turned off by an error, or because its jobs failed.",
        "trigger",
        _named(TRIGGER),
        recover_after_seconds=0.0,
    ),
    "running_long": Kind(
        "Jobs run too long",
        "A job runs for much longer than its definition's usual time, which is the median of seven days.",
        "definition",
        _named(
            DEFINITION,
            _number("number", "times", 3.0, (1.1, 1000), "How many times the usual", "The usual time, multiplied."),
            _number(
                "duration", "min_seconds", 60.0, LASTING, "And for at least", "Shorter attempts are never too long."
            ),
            _number("count", "min_runs", 5, (1, MOST), "Of at least", "With fewer attempts there is no usual time."),
        ),
        recover_after_seconds=0.0,
    ),
}


def complete_parameters(kind: AlertKind, given: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of the kind, with defaults for what was not said, or `BadRequest`."""
    known = KINDS[kind].parameters
    if unknown := sorted(set(given) - set(known)):
        raise BadRequest(f"{kind} has no parameter {unknown[0]}; it has {', '.join(known)}", field="parameters")
    return {name: _value(one, given.get(name)) for name, one in known.items()}


def _value(parameter: Setting, value: Any) -> Any:
    if value is None:
        return parameter.default
    if not (_is_name(value) if parameter.kind == "text" else _is_number(parameter, value)):
        name = parameter.name
        raise BadRequest(f"{name} is {parameter.takes}, not {value!r:.100}", field=f"parameters.{name}")
    return value if parameter.kind == "text" else type(parameter.default)(value)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= MOST_TEXT and "\0" not in value


def _is_number(parameter: Setting, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    within = (parameter.least or 0) <= value <= (parameter.most or 0)
    return within and (parameter.kind != "count" or value == int(value))
