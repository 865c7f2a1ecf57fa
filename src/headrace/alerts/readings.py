"""Readings: for which subjects the conditions of rules hold now. One question for all rules of a kind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from headrace.alerts.delivery_job import DELIVER
from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.alert.incident import Incident, Reading
from headrace.model.alert.kind import AlertKind
from headrace.model.alert.rule import AlertRule
from headrace.rollups.read import usual_durations

SQL = statements(__file__)
Rules = Sequence[AlertRule]
Look = Callable[[Connection, Rules, Sequence[Incident]], Awaitable[list[Reading]]]


async def take_readings(conn: Connection, rules: Iterable[AlertRule], held: Sequence[Incident]) -> list[Reading]:
    """All conditions that hold; `held` are the open incidents, some of which go on while nothing happens."""
    by_kind: dict[AlertKind, list[AlertRule]] = {}
    for rule in rules:
        by_kind.setdefault(rule.kind, []).append(rule)
    return [reading for kind, some in by_kind.items() for reading in await LOOKS[kind](conn, some, held)]


def _columns(rules: Rules, *parameters: str, enabled_at: bool = True) -> list[list[Any]]:
    """The rules as columns: id, tenant, since when each holds, and some of their parameters."""
    columns: list[list[Any]] = [[rule.id for rule in rules], [rule.tenant_id for rule in rules]]
    if enabled_at:
        columns.append([rule.enabled_at for rule in rules])
    return columns + [[rule.parameters[name] for rule in rules] for name in parameters]


async def _job_died(conn: Connection, rules: Rules, _held: Sequence[Incident]) -> list[Reading]:
    rows = await conn.fetch(SQL["job_died"], DELIVER, *_columns(rules, "definition", "within_seconds"))
    return _readings(rows)


async def _failures_in_a_row(conn: Connection, rules: Rules, held: Sequence[Incident]) -> list[Reading]:
    open_ = [(one.rule_id, one.subject) for one in held if one.closed_at is None]
    asked = [[rule_id for rule_id, _ in open_], [subject for _, subject in open_]]
    rows = await conn.fetch(SQL["failures_in_a_row"], DELIVER, *_columns(rules, "definition", "n"), *asked)
    return _readings(rows)


async def _failure_rate(conn: Connection, rules: Rules, _held: Sequence[Incident]) -> list[Reading]:
    asked = _columns(rules, "definition", "percent", "within_seconds", "min_attempts")
    return _readings(await conn.fetch(SQL["failure_rate"], DELIVER, *asked))


async def _oldest_queued(conn: Connection, rules: Rules, _held: Sequence[Incident]) -> list[Reading]:
    rows = await conn.fetch(SQL["oldest_queued"], *_columns(rules, "queue", "seconds", enabled_at=False))
    return _readings(rows)


async def _no_worker(conn: Connection, rules: Rules, _held: Sequence[Incident]) -> list[Reading]:
    return _readings(await conn.fetch(SQL["no_worker"], *_columns(rules, "queue", "seconds")))


async def _missed_fire(conn: Connection, rules: Rules, _held: Sequence[Incident]) -> list[Reading]:
    rows = await conn.fetch(SQL["missed_fire"], *_columns(rules, "trigger", "within_seconds", "late_seconds"))
    return _readings(rows)


async def _trigger_disabled(conn: Connection, rules: Rules, _held: Sequence[Incident]) -> list[Reading]:
    return _readings(await conn.fetch(SQL["trigger_disabled"], *_columns(rules, "trigger")))


async def _running_long(conn: Connection, rules: Rules, _held: Sequence[Incident]) -> list[Reading]:
    """The longest run of a definition stands for all of its that are too long."""
    asked = _columns(rules, "definition", "min_seconds", enabled_at=False)
    rows = await conn.fetch(SQL["running"], DELIVER, *asked)
    by_id = {rule.id: rule for rule in rules}
    usual = await _usual(conn, sorted({row["definition_id"] for row in rows}))
    found: dict[tuple[Any, str], Reading] = {}
    for row in rows:
        rule = by_id[row["rule_id"]]
        runs, median = usual.get(row["definition_id"], (0, 0.0))
        times = (row["now"] - row["claimed_at"]).total_seconds() / median if median else 0.0
        if runs < rule.parameters["min_runs"] or times < rule.parameters["times"]:
            continue
        became = row["claimed_at"] + timedelta(
            seconds=max(rule.parameters["min_seconds"], rule.parameters["times"] * median)
        )
        one = found.get((rule.id, row["key"])) or Reading(rule.id, row["key"], 0, times, became, row["job_id"])
        found[rule.id, row["key"]] = replace(one, count=one.count + 1, at=max(one.at, became))
    return list(found.values())


async def _usual(conn: Connection, definition_ids: Sequence[int]) -> Mapping[int, tuple[int, float]]:
    """Of each definition how many runs there were in seven days, and the median of their durations."""
    if not definition_ids:
        return {}
    durations = await usual_durations(conn, definition_ids)
    return {key: (one.count, one.percentile(0.5) or 0.0) for key, one in durations.items()}


def _readings(rows: Iterable[Any]) -> list[Reading]:
    return [Reading(*row) for row in rows]


LOOKS: Mapping[AlertKind, Look] = {
    "job_died": _job_died,
    "failures_in_a_row": _failures_in_a_row,
    "failure_rate": _failure_rate,
    "oldest_queued": _oldest_queued,
    "no_worker": _no_worker,
    "missed_fire": _missed_fire,
    "trigger_disabled": _trigger_disabled,
    "running_long": _running_long,
}
