"""A look enters history by what happened lately: no statement of it reads a large table whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from tests.alerts.alarming import Watchman
from tests.db.plans import fill

from headrace.alerts.readings import SQL, _columns
from headrace.model.alert.kind import AlertKind
from headrace.model.alert.kinds import complete_parameters
from headrace.model.alert.rule import AlertRule

LARGE = ("queue", "rollup", "rollup_hour", "fire", "attempt")
ATTEMPTS = """
    insert into headrace.attempt
      (job_id, run, tenant_id, lane_id, worker_id, outcome, final, spent, started_at, finished_at)
    select headrace._first_id(now()), n, 1 + n % 5, 1 + n % 50, 1,
           (case when n % 50 = 0 then 'failed' else 'succeeded' end)::headrace.attempt_outcome,
           (case when n % 50 = 0 then 'dead_letter' else 'succeeded' end)::headrace.job_status, 1, now(),
           now() - n * interval '1 second'
      from generate_series(20000, 1, -1) as n
"""
MINUTES = """
    insert into headrace.{table} ({unit}, tenant_id, definition_id, succeeded, dead_letter)
    select date_trunc('{unit}', now()) - n * interval '1 {unit}', 1 + t, d, 1, 1
      from generate_series(0, 400) as n, generate_series(0, 9) as t, generate_series(1, 10) as d
"""
FIRES = """
    insert into headrace.fire (trigger_id, due_at, outcome, reason, triggered_by, at)
    select gen_random_uuid(), now(), 'skipped', case when n % 100 = 0 then 'missed' else 'overlap' end, 'scheduler',
           now() - n * interval '1 minute'
      from generate_series(1, 20000) as n
"""


@pytest.fixture
async def full(watch: Watchman) -> Watchman:
    """With some history."""
    await fill(watch.db, 20_000)
    await watch.db.execute(ATTEMPTS)
    await watch.db.execute(MINUTES.format(table="rollup", unit="minute"))
    await watch.db.execute(MINUTES.format(table="rollup_hour", unit="hour"))
    await watch.db.execute(FIRES)
    for table in LARGE:
        await watch.db.execute(f"analyze headrace.{table}")
    return watch


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


def arguments(kind: AlertKind, tenant_id: int | None, now: Any) -> tuple[str, list[Any]]:
    """The statement of a kind, for two rules."""
    rules = [
        AlertRule(uuid4(), tenant_id, "r", kind, complete_parameters(kind, {}), (), enabled_at=now) for _ in range(2)
    ]
    names = {
        "job_died": ("definition", "within_seconds"),
        "failures_in_a_row": ("definition", "n"),
        "failure_rate": ("definition", "percent", "within_seconds", "min_attempts"),
        "missed_fire": ("trigger", "within_seconds", "late_seconds"),
        "running_long": ("definition", "min_seconds"),
    }[kind]
    asked = _columns(rules, *names, enabled_at=kind != "running_long")
    held = [[rules[0].id], ["work"]] if kind == "failures_in_a_row" else []
    first = [] if kind == "missed_fire" else ["headrace.deliver_alert"]
    return "running" if kind == "running_long" else kind, [*first, *asked, *held]


@pytest.mark.parametrize("tenant_id", [None, 1])
@pytest.mark.parametrize("kind", ["job_died", "failures_in_a_row", "failure_rate", "missed_fire", "running_long"])
async def test_it_goes_by_an_index(full: Watchman, kind: AlertKind, tenant_id: int | None) -> None:
    yesterday = await full.db.fetchval("select now() - interval '1 day'")
    name, asked = arguments(kind, tenant_id, yesterday)
    text = await full.db.fetchval(f"explain (format json) {SQL[name]}", *asked)
    whole = [
        node["Relation Name"]
        for node in nodes(json.loads(text)[0]["Plan"])
        if node["Node Type"] == "Seq Scan" and node["Relation Name"].partition("_2")[0] in LARGE
    ]
    sizes = {name: await full.db.fetchval(f"select count(*) from headrace.{name}") for name in set(whole)}
    assert {name: size for name, size in sizes.items() if size} == {}
