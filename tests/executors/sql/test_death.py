"""A worker that dies takes its functions with it, and nothing of them is kept."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.executors.sql.bench import DONE, KEEP, SWALLOW, SqlBench
from tests.waiting import until


@pytest.mark.parametrize("wait", ["perform pg_sleep(600);", SWALLOW, "loop end loop;"])
async def test_a_worker_killed_within_a_function_commits_nothing_and_leaves_no_backend(
    sql: SqlBench, wait: str
) -> None:
    await sql.make(f"{KEEP} raise notice 'runs'; {wait} {DONE}", takes="")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.executors.sql.doomed_worker", sql.url, "f"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "runs\n"
        assert await sql.calls() == 1
    finally:
        process.kill()
        process.communicate()

    async def gone() -> bool:
        return await sql.calls() == 0

    await until("the backend is gone", gone)
    assert await sql.kept() == []


async def test_a_worker_killed_just_before_the_end_commits_nothing(sql: SqlBench) -> None:
    await sql.make(
        f"{KEEP} raise notice 'runs'; perform set_config('client_connection_check_interval', '0', true);"
        f"perform pg_advisory_xact_lock(13); {DONE}",
        takes="",
    )
    await sql.db.execute("select pg_advisory_lock(13)")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.executors.sql.doomed_worker", sql.url, "f"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "runs\n"
    finally:
        process.kill()
        process.communicate()
    # The function goes on, unaware, and returns success: to nobody.
    await sql.db.execute("select pg_advisory_unlock(13)")

    async def gone() -> bool:
        return await sql.calls() == 0

    await until("the backend is gone", gone)
    assert await sql.kept() == []
