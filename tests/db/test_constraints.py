"""The tables refuse what the state machine does not know."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from headrace.db.connect import Connection, Endpoint

Row = dict[str, str]

QUEUED: Row = {
    "job_id": "gen_random_uuid()",
    "status": "'queued'",
    "queued_at": "now()",
    "tenant_id": "1",
    "lane_id": "1",
    "priority": "100",
    "max_attempts": "3",
}
SCHEDULED: Row = QUEUED | {"status": "'scheduled'", "queued_at": "null", "run_at": "now()"}
RUNNING: Row = QUEUED | {"status": "'running'", "worker_id": "1", "claimed_at": "now()"}
ATTEMPT: Row = {
    "job_id": "headrace._first_id(now())",
    "run": "1",
    "tenant_id": "1",
    "lane_id": "1",
    "worker_id": "1",
    "outcome": "'failed'",
    "spent": "1",
    "started_at": "now()",
    "finished_at": "now()",
}
UNSTARTED: Row = ATTEMPT | {"outcome": "'canceled'", "final": "'canceled'", "worker_id": "null", "started_at": "null"}

GOOD = [
    ("queue", QUEUED),
    ("queue", QUEUED | {"spent": "2", "run": "7", "suspect": "true"}),
    ("queue", SCHEDULED),
    ("queue", RUNNING),
    ("queue", RUNNING | {"cancel_requested": "true"}),
    ("attempt", ATTEMPT),
    ("attempt", UNSTARTED),
    ("attempt", ATTEMPT | {"outcome": "'succeeded'", "final": "'succeeded'"}),
    ("attempt", ATTEMPT | {"outcome": "'succeeded'", "final": "null"}),  # a person retried it
    ("attempt", ATTEMPT | {"outcome": "'lost'", "final": "'dead_letter'"}),
]
BAD = [
    *(
        ("queue", "a_live_status", QUEUED | {"status": f"'{s}'"})
        for s in ("succeeded", "failed", "canceled", "dead_letter")
    ),
    ("queue", "scheduled_has_a_time", SCHEDULED | {"run_at": "null"}),
    ("queue", "scheduled_has_a_time", QUEUED | {"run_at": "now()"}),
    ("queue", "scheduled_has_a_time", RUNNING | {"run_at": "now()"}),
    ("queue", "running_has_a_worker", RUNNING | {"worker_id": "null"}),
    ("queue", "running_has_a_worker", QUEUED | {"worker_id": "1"}),
    ("queue", "running_has_a_worker", SCHEDULED | {"worker_id": "1"}),
    ("queue", "running_was_claimed", RUNNING | {"claimed_at": "null"}),
    ("queue", "running_was_claimed", QUEUED | {"claimed_at": "now()"}),
    ("queue", "waiting_since", QUEUED | {"queued_at": "null"}),
    ("queue", "waiting_since", RUNNING | {"queued_at": "null"}),
    ("queue", "waiting_since", SCHEDULED | {"queued_at": "now()"}),
    ("queue", "only_running_is_told_to_cancel", QUEUED | {"cancel_requested": "true"}),
    ("queue", "only_running_is_told_to_cancel", SCHEDULED | {"cancel_requested": "true"}),
    ("queue", "spent_within_maximum", QUEUED | {"spent": "-1"}),
    ("queue", "spent_within_maximum", QUEUED | {"spent": "3"}),
    ("queue", "run_counts_claims", QUEUED | {"run": "-1"}),
    *(
        ("queue", "due_between_1900_and_9000", SCHEDULED | {"run_at": f"timestamptz '{at}'"})
        for at in ("9000-01-02Z", "infinity", "0044-03-15 BC")
    ),
    *(("attempt", "a_final_status", ATTEMPT | {"final": f"'{s}'"}) for s in ("scheduled", "queued", "running")),
    ("attempt", "started_means_a_worker", ATTEMPT | {"worker_id": "null"}),
    ("attempt", "started_means_a_worker", ATTEMPT | {"started_at": "null"}),
    ("attempt", "success_is_final", ATTEMPT | {"final": "'succeeded'"}),
    ("attempt", "replaced_means_canceled", ATTEMPT | {"replaced_by": "gen_random_uuid()"}),
    ("attempt", "success_is_final", ATTEMPT | {"outcome": "'succeeded'", "final": "'failed'"}),
]


@pytest.fixture
async def conn(shared_url: str) -> AsyncIterator[Connection]:
    """In a transaction that is rolled back, for the module shares its database."""
    conn = await Endpoint(shared_url).connect("test")
    transaction = conn.transaction()
    await transaction.start()
    yield conn
    await transaction.rollback()
    await conn.close()


def insert(table: str, row: Row) -> str:
    return f"insert into headrace.{table} ({', '.join(row)}) values ({', '.join(row.values())})"


@pytest.mark.parametrize(("table", "row"), GOOD)
async def test_a_good_state_is_accepted(conn: Connection, table: str, row: Row) -> None:
    await conn.execute(insert(table, row))


@pytest.mark.parametrize(("table", "constraint", "row"), BAD)
async def test_a_bad_state_is_refused_by(conn: Connection, table: str, constraint: str, row: Row) -> None:
    with pytest.raises(asyncpg.CheckViolationError) as refused:
        await conn.execute(insert(table, row))
    assert refused.value.constraint_name == constraint


async def test_every_check_of_the_two_tables_is_tried(conn: Connection) -> None:
    rows = await conn.fetch(
        "select conname from pg_constraint where contype = 'c'"
        " and conrelid in ('headrace.queue'::regclass, 'headrace.attempt'::regclass)"
    )
    assert {row[0] for row in rows} == {constraint for _, constraint, _ in BAD}


async def test_a_dedupe_key_is_held_once_a_tenant(conn: Connection) -> None:
    await conn.execute(insert("queue", QUEUED | {"dedupe_key": "'k'"}))
    await conn.execute(insert("queue", QUEUED | {"dedupe_key": "'k'", "tenant_id": "2"}))
    with pytest.raises(asyncpg.UniqueViolationError) as refused:
        await conn.execute(insert("queue", SCHEDULED | {"dedupe_key": "'k'"}))
    assert refused.value.constraint_name == "queue_dedupe"


async def test_a_run_is_recorded_once(conn: Connection) -> None:
    await conn.execute(insert("attempt", ATTEMPT))
    with pytest.raises(asyncpg.UniqueViolationError):
        await conn.execute(insert("attempt", ATTEMPT))
