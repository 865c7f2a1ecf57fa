"""Rules 9 to 11: three schedulers under fire lose, double and invent nothing, and heed every disable."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from tests.chaos.world.faults import Herd, Operator, wait
from tests.chaos.world.fires import NOTHING_WRONG, Findings, Line, add_up, check
from tests.chaos.world.processes import declare, until_live, workers_on
from tests.waiting import until

from headrace.db.connect import Connection

SECONDS = 60.0 if os.environ.get("LONG_TESTS") else 8.0
TRIGGERS = 200
# The others are left alone, so that each of their due times must have fired.
TOGGLED = 40
EDITED = 20


@pytest.mark.timeout(300)
async def test_every_due_time_is_among_the_fires_once_whatever_happens_to_schedulers(
    connection: Connection, database_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(7)  # noqa: S311 - no secret
    await declare(connection, "fired")
    with workers_on(database_url, tmp_path, "tests.chaos.world.triggers_app:hr") as workers:
        herd = Herd(workers, 3, chance)
        await until_live(connection, 3)
        operator = Operator(connection, chance)
        await operator.create(TRIGGERS)
        await until("all have a due time", lambda: computed(connection))
        async with herd.going_on():
            await make_trouble(connection, herd, operator, chance)
        await operator.turn_all_on()
        horizon: datetime = await connection.fetchval("select clock_timestamp()")
        await until("all is fired that was due", lambda: fired_until(connection, horizon))
        assert len(herd.alive()) == 3
    await read_fires(connection, operator)
    found = add_up(check(history, horizon) for history in operator.histories.values())
    for what, n in figures(herd, operator, found).items():
        record_property(what, n)
    print(*wronged(operator, horizon), sep="\n")  # all of it, which an assertion would cut short
    assert found.wrong() == NOTHING_WRONG
    assert found.expected > TRIGGERS * SECONDS * 0.7
    assert found.fired > found.expected * 0.5
    assert min(herd.kills, herd.stops, herd.cuts, operator.toggles, operator.edits) > 0


async def make_trouble(connection: Connection, herd: Herd, operator: Operator, chance: random.Random) -> None:
    """Something happens five times a second; a kill, which costs a start, about every other second."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        await wait(chance.uniform(0.1, 0.3))
        match chance.choices(["kill", "stop", "cut", "toggle", "edit"], [10, 12, 12, 46, 20])[0]:
            case "kill":
                herd.kill_one()
            case "stop":
                herd.stop_one()
            case "cut":
                await herd.cut_off_one(connection, "scheduler")
            case "toggle":
                await operator.toggle(f"t{chance.randrange(TOGGLED)}")
            case _:
                await operator.edit(f"t{TOGGLED - EDITED // 2 + chance.randrange(EDITED)}")


async def computed(connection: Connection) -> bool:
    return bool(await connection.fetchval("select count(*) = 0 from headrace.trigger where next_run_at is null"))


async def fired_until(connection: Connection, horizon: datetime) -> bool:
    query = "select count(*) = 0 from headrace.trigger where next_run_at is null or next_run_at <= $1"
    return bool(await connection.fetchval(query, horizon))


async def read_fires(connection: Connection, operator: Operator) -> None:
    """What the database says, for each trigger."""
    names = {row[0]: row[1] for row in await connection.fetch("select id, name from headrace.trigger")}
    lines = await connection.fetch(
        "select trigger_id, due_at, outcome, at, job_id, reason, until, n from headrace.fire order by due_at"
    )
    for trigger_id, *line in lines:
        operator.histories[names[trigger_id]].lines.append(Line(*line))
    # A job is its record and its place in the queue: one without the other is none.
    jobs = await connection.fetch(
        "select source_ref, coalesce(job.id, job_id), scheduled_for from headrace.job"
        " join headrace.queue on queue.job_id = job.id"
    )
    assert len(jobs) == await connection.fetchval(
        "select greatest((select count(*) from headrace.job), (select count(*) from headrace.queue))"
    )
    for trigger_id, job_id, due_at in jobs:
        operator.histories[names[trigger_id]].jobs.append((job_id, due_at))


def wronged(operator: Operator, horizon: datetime) -> list[object]:
    """What was found of each trigger that was wronged, and all that is known of it."""
    return [
        (name, found, history)
        for name, history in operator.histories.items()
        if (found := check(history, horizon)).wrong() != NOTHING_WRONG
    ]


def figures(herd: Herd, operator: Operator, found: Findings) -> dict[str, object]:
    late = sorted(
        (line.at - line.due_at).total_seconds()
        for history in operator.histories.values()
        for line in history.lines
        if line.outcome == "fired"
    )
    return {
        "kills": herd.kills,
        "stops": herd.stops,
        "cuts": herd.cuts,
        "toggles": operator.toggles,
        "edits": operator.edits,
        "expected": found.expected,
        "fired": found.fired,
        "passed over": found.passed_over,
        **found.wrong(),
        "p50 s": late[len(late) // 2],
        "p99 s": late[len(late) * 99 // 100],
        "longest wait of an operator s": round(operator.longest_wait, 2),
    }
