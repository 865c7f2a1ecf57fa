"""Handlers in processes of their own, through the whole worker."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest
from tests.worker import handlers
from tests.worker.running import attempts, errors, finished, said, set_up, until_status, working

from headrace import Headrace
from headrace.db.connect import Connection


async def test_sync_and_async_handlers_run_in_a_process_of_their_own(declared: Headrace) -> None:
    async with working(declared):
        sync = await finished(declared, await handlers.add_apart.enqueue(a=1, b=2))
        is_async = await finished(declared, await handlers.add_apart_async.enqueue(a=3, b=4))
    assert (sync.result["sum"], is_async.result["sum"]) == (3, 7)
    assert os.getpid() not in (sync.result["pid"], is_async.result["pid"])


LOUD = """
import logging
from headrace import Headrace

logging.getLogger("loud").warning("imported")
hr = Headrace(app="loud")


@hr.job(isolation="process", max_attempts=1)
def work() -> None:
    logging.getLogger("loud").warning("at work")
"""


async def test_a_module_may_log_while_it_is_imported_there(
    database_url: str, connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loud_jobs.py").write_text(LOUD)
    monkeypatch.syspath_prepend(tmp_path)
    hr: Headrace = set_up(importlib.import_module("loud_jobs").hr, database_url)
    async with working(hr):
        job = await finished(hr, await hr.enqueue("work"))
    assert (job.status, job.last_error) == ("succeeded", None)
    assert set(await said(connection, job.id)) == {"imported", "at work"}


async def test_a_process_that_dies_fails_its_attempt_and_the_worker_lives(declared: Headrace) -> None:
    async with working(declared):
        dead = await finished(declared, await handlers.die_apart.enqueue())
        after = await finished(declared, await handlers.add_apart.enqueue(a=1, b=1))
    assert dead.status == "dead_letter"
    assert "exit code 7" in str(dead.last_error)
    assert after.result["sum"] == 2


async def test_a_process_that_never_returns_is_ended_at_its_timeout(declared: Headrace, connection: Connection) -> None:
    async with working(declared):
        job = await finished(declared, await handlers.spin_apart.enqueue())
    assert await attempts(connection, job.id) == [(1, "timed_out", "dead_letter")]
    assert job.last_error == "timed out after 0.5 s"


async def test_a_payload_that_does_not_fit_is_given_back_unspent_there_too(
    declared: Headrace, connection: Connection
) -> None:
    async with working(declared):
        job_id = await connection.fetchval("""select headrace.enqueue('refuse_apart', '{"number": "x"}')""")
        await until_status(connection, job_id, "scheduled")
    assert (await attempts(connection, job_id))[0] == (1, "released", None)
    said = (await errors(connection, job_id))[0]
    assert "the payload does not fit" in str(said)
