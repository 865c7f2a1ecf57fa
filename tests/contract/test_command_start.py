"""Workers whose files have other commands, or commands that cannot run."""

from __future__ import annotations

import pytest
from tests.contract.scripts import commands_on, python
from tests.worker.running import finished, working

from headrace import Headrace
from headrace.config import CommandSettings
from headrace.db.connect import Connection
from headrace.errors import ConfigError
from headrace.worker.process.database_worker import WorkerProcess


async def test_workers_with_other_commands_claim_only_their_own(database_url: str, connection: Connection) -> None:
    one, two = commands_on(database_url, a=python("print('a')")), commands_on(database_url, b=python("print('b')"))
    async with working(one) as first, working(two) as second:
        for key, process in (("a", first), ("b", second)):
            job = await finished(one, await one.enqueue(key))
            by = await connection.fetchval("select worker_id from headrace.attempt where job_id = $1", job.id)
            assert (job.status, by) == ("succeeded", process._transport.worker_id)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (python("pass"), "a job in code already has this key"),
        (CommandSettings(argv=("/no/such/program",)), "/no/such/program"),
        (python("pass", pass_env=("NOT_SET_ANYWHERE",)), "NOT_SET_ANYWHERE is not set here"),
        (python("pass", user="nobody-of-that-name"), "nobody-of-that-name"),
        (python("pass", "{x}"), "x"),
    ],
)
async def test_a_command_that_cannot_run_is_refused_at_start(
    database_url: str, command: CommandSettings, reason: str
) -> None:
    key = "taken" if "already" in reason else "other"
    hr: Headrace = commands_on(database_url, **{key: command})

    @hr.job()
    async def taken() -> None: ...

    async with hr:
        with pytest.raises(ConfigError, match=f"commands.{key}.*{reason}"):
            WorkerProcess(hr)
