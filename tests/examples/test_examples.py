"""Each example shows what it says, run as its README says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cli.calling import Shell
from tests.environ import bare_environ
from tests.waiting import PATIENCE, until

from headrace.db.connect import Connection

EXAMPLES = Path(__file__).parents[2] / "examples"
Dev = Callable[[str], AbstractAsyncContextManager[None]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the examples, so that nothing is left behind in the tree."""
    return Path(shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns(".*", "__pycache__")))


@pytest.fixture
def dev(folder: Path, database_url: str) -> Dev:
    """`async with dev("schedules:hr"):` is `headrace dev schedules:hr` in another terminal."""
    shell = Shell(folder, HEADRACE_DATABASE_URL=database_url)

    @asynccontextmanager
    async def running(target: str) -> AsyncIterator[None]:
        process = shell.start("dev", target)
        log = folder / "said.log"
        try:
            await until(
                "the app is known",
                lambda: "triggers synced" in log.read_text("utf-8") or process.poll() is not None,
            )
            assert process.poll() is None, log.read_text("utf-8")
            yield
            process.terminate()
            assert process.wait(PATIENCE) == 0, log.read_text("utf-8")
            assert "Traceback" not in log.read_text("utf-8")
        finally:
            if process.poll() is None:
                process.kill()
                process.wait(PATIENCE)

    return running


def run_script(folder: Path, database_url: str, file: str) -> list[str]:
    """The lines that `python file` prints."""
    done = subprocess.run(
        [sys.executable, file],
        cwd=folder,
        env=bare_environ(HEADRACE_DATABASE_URL=database_url),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def statements_of(folder: Path, file: str) -> list[str]:
    """The statements of an SQL file, without its comments."""
    code = re.sub(r"^--.*\n", "", (folder / file).read_text("utf-8"), flags=re.MULTILINE)
    return [statement.strip() for statement in code.split(";\n") if statement.strip()]


async def run_sql(connection: Connection, statements: list[str]) -> list[list[Any]]:
    """The rows of each statement, run one after the other as psql does."""
    return [await connection.fetch(statement) for statement in statements]


async def test_schedules_declared_in_python_fire_and_show_what_comes_next(
    folder: Path, database_url: str, dev: Dev, connection: Connection
) -> None:
    async with dev("schedules:hr"):

        async def has_repeated() -> bool:
            return bool(await runs_of(connection, "read_sensor") >= 2)

        await until("the interval has fired twice", has_repeated)
        said = run_script(folder, database_url, "schedules.py")
    assert "nightly_report: At 02:30. Nights in which clocks change:" in said
    assert any("clocks go forward: moved from 02:30 to 03:00" in line for line in said)
    assert any("clocks go back: first 02:30, the second does not count" in line for line in said)
    assert any(line.startswith("by hand: succeeded, {'message': 'report for ") for line in said)
    assert any(re.fullmatch(r"  \d\d:\d\d:\d\d fired ", line) for line in said)
    assert await runs_of(connection, "fill_cache:init") == 1
    made = await connection.fetch(
        "select (payload ->> 'due')::timestamptz, scheduled_for from headrace.jobs where definition = 'read_sensor'"
    )
    assert [row[0] for row in made] == [row[1] for row in made]


async def test_schedules_made_with_sql_fire_and_are_seen_in_the_views(
    folder: Path, dev: Dev, connection: Connection
) -> None:
    *most, history, fires, remove = statements_of(folder, "schedules.sql")
    async with dev("schedules:hr"):
        said = [rows[0]["trigger"] for rows in await run_sql(connection, most) if rows and "trigger" in dict(rows[0])]
        assert ['"success": true' in one for one in said] == [True, True]

        async def is_shown() -> bool:
            names = {row["name"] for row in await connection.fetch(history)}
            return names >= {"monday report", "read the cellar", "read the roof"}

        await until("the jobs are in the history", is_shown)

        async def is_off() -> bool:
            return not await connection.fetchval("select enabled from headrace.trigger where name = 'a mistake'")

        await until("the mistake is found", is_off)
        await run_sql(connection, most)  # again, as the file says one may

        async def is_computed() -> bool:
            due = await connection.fetchval("select next_run_at from headrace.trigger where name = 'read the roof'")
            return due is not None

        await until("the roof's next time is computed", is_computed)
        status = {row["name"]: row for row in await connection.fetch(most[-1])}
        assert status["a mistake"]["last_error"].startswith("No date ever matches")
        assert status["read the cellar"]["last_run_success"] is True
        assert status["read the roof"]["next_run_at"].minute % 10 == 0
        assert {row["outcome"] for row in await connection.fetch(fires)} >= {"fired"}
        assert await connection.fetchval(remove) is True
        assert await connection.fetchval(remove) is False
    gone = await connection.fetch("select triggered_by from headrace.job_history where name = 'monday report'")
    assert {row["triggered_by"] for row in gone} == {"manual"}


async def test_events_emitted_from_python_make_the_jobs_that_the_example_says(
    folder: Path, database_url: str, dev: Dev, connection: Connection
) -> None:
    async with dev("events:hr"):
        said = run_script(folder, database_url, "events.py")
        assert said[0] == 'order.paid {"id": 7, "total": 250, "customer": {"name": "Ada"}} thank:event fired None'
        assert said[1] == 'order.paid {"id": 8, "total": 20} thank:event skipped condition'
        assert [line.rpartition("index_folder:event ")[2] for line in said[2:5]].count("fired None") == 1
        assert sum("deduplicated" in line for line in said) == 2
        assert said[5].endswith("index_folder:event skipped template_error")

        async def have_ended() -> bool:
            ended = await connection.fetch("select result #>> '{}' from headrace.jobs where status = 'succeeded'")
            return {row[0] for row in ended} == {
                "Dear Ada, thank you for order 7 (checkout-7)",
                "indexed /inbox",
            }

        await until("both jobs have ended", have_ended)


async def test_events_emitted_with_sql_make_one_job(folder: Path, dev: Dev, connection: Connection) -> None:
    *_, deliveries, jobs = everything = statements_of(folder, "events.sql")
    async with dev("events:hr"):
        await run_sql(connection, everything)

        async def has_run() -> bool:
            return [row["status"] for row in await connection.fetch(jobs)] == ["succeeded"]

        await until("the one job has run", has_run)
        (job,) = await connection.fetch(jobs)
        assert (job["payload"], job["correlation_id"]) == ('{"path": "/uploads/cat.png"}', "upload-1")
        made = [(row["name"], row["outcome"], row["reason"]) for row in await connection.fetch(deliveries)]
        assert sorted(made, key=str) == [
            ("upload.finished", "fired", None),
            ("upload.finished", "skipped", "condition"),
            ("upload.started", None, None),
        ]


async def test_a_tenant_is_looked_after_until_it_is_unregistered(folder: Path, database_url: str) -> None:
    said = [line.partition(" job_id=")[0] for line in run_script(folder, database_url, "register.py")]
    left = said.index("acme has left")
    assert {"acme: looked into inbox", "globex: looked into orders"} <= set(said[:left])
    # One that was enqueued before it left may still run.
    assert said[left:].count("acme: looked into inbox") <= 1
    assert said[left:].count("globex: looked into orders") >= 1


def test_the_readme_names_every_example(folder: Path) -> None:
    text = (folder / "README.md").read_text("utf-8")
    assert [file.name for file in folder.iterdir() if f"[{file.name}]({file.name})" not in text] == ["README.md"]


async def runs_of(connection: Connection, name: str) -> int:
    runs: int = await connection.fetchval("select runs from headrace.trigger where name = $1", name) or 0
    return runs
