"""Old and new workers side by side: what one of them cannot read, the other runs, as its first attempt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.chaos.world.processes import attempts, until_ended
from tests.cli.calling import Shell
from tests.cli.process.test_services import until_served, worker_of
from tests.waiting import until
from tests.worker.running import status_is, until_status

from headrace.db.connect import Connection

APP = """
from headrace import Headrace

hr = Headrace()


@hr.job(max_attempts=4)
async def charge({parameters}) -> str:
    return "{version}"
"""
VERSIONS = {"old": "amount: int", "new": "cents: int, currency: str"}
PAYLOADS: dict[str, dict[str, Any]] = {"old": {"amount": 1}, "new": {"cents": 100, "currency": "CHF"}}


def release(folder: Path, version: str, url: str) -> Shell:
    """A version of the service in a folder of its own."""
    folder = folder / version
    folder.mkdir()
    (folder / "jobs.py").write_text(APP.format(parameters=VERSIONS[version], version=version))
    (folder / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    return Shell(folder, HEADRACE_DATABASE_URL=url)


async def enqueue(connection: Connection, version: str) -> UUID:
    job_id: UUID = await connection.fetchval("select headrace.enqueue('charge', $1)", json.dumps(PAYLOADS[version]))
    return job_id


@pytest.mark.parametrize(("first", "second"), [("old", "new"), ("new", "old")], ids=["deploy", "roll back"])
async def test_a_job_that_one_version_cannot_read_is_run_by_the_other_as_its_first_attempt(
    database_url: str, connection: Connection, tmp_path: Path, first: str, second: str
) -> None:
    before, after = release(tmp_path, first, database_url), release(tmp_path, second, database_url)
    with worker_of(before) as worker:
        await until_served(connection, worker, before, "charge")
        assert after.call("definitions", "sync", "jobs:hr").out == "changed  charge\n"
        job_id = await enqueue(connection, second)
        await until_status(connection, job_id, "scheduled")
        assert (await attempts(connection, job_id))[0] == (1, "released", None)
        newer = 'enqueued by a newer version of "charge"'
        await until("its reason is told between its tries", lambda: newer in after.call("jobs", "why", str(job_id)).out)
        with worker_of(after) as other:
            await until_served(connection, other, after, "charge")
            ids = [job_id, *[await enqueue(connection, second) for _ in range(20)]]
            for each in ids:
                ended = await until_ended(connection, each)
                assert ended[-1][1:] == ("succeeded", "succeeded")
                assert {outcome for _, outcome, final in ended if final is None} <= {"released"}
        rows = await connection.fetch("select distinct attempt_count, result from headrace.jobs")
        assert [tuple(row) for row in rows] == [(1, json.dumps(second))]
        # Alone again, it runs what it can read.
        job_id = await enqueue(connection, first)
        await until("its own version runs", lambda: status_is(connection, job_id, "succeeded"))
    assert (before.folder / "said.log").read_text().count("job unreadable") == 1
