"""What the command line says of itself, and of what it cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.calling import Shell, one_line

from headrace import __version__

APP = """
from headrace import Headrace

hr = Headrace()
number = 5


@hr.job
async def greet() -> str:
    return "hello"
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A folder with an app, and a database that does not answer."""
    (tmp_path / "app.py").write_text(APP)
    return Shell(tmp_path, HEADRACE_DATABASE_URL="postgresql://nobody@127.0.0.1:1/nothing")


def test_the_version_is_shown(shell: Shell) -> None:
    assert shell.call("--version") == (0, f"headrace {__version__}\n", "")


@pytest.mark.parametrize("command", [(), ("worker",), ("db", "migrate")])
def test_help_is_there_for_every_command(shell: Shell, command: tuple[str, ...]) -> None:
    said = shell.call(*command, "--help")
    assert (said.code, said.err) == (0, "")
    assert "Usage: " in said.out
    if not command:
        assert all(name in said.out for name in ("dev", "worker", "db", "definitions"))


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("nowhere:hr", "unknown module 'nowhere'"),
        ("app.jobs:hr", "unknown module 'app.jobs'"),
        ("app:nothing", "app has no 'nothing'"),
        ("app:number", "app has something else as 'number'"),
        (":hr", "is not a module:name"),
        ("", "is not a module:name"),
        ("./app.py", "is not a module:name"),
    ],
)
def test_a_target_that_is_no_app_is_explained_in_one_line(shell: Shell, target: str, complaint: str) -> None:
    said = shell.call("worker", target)
    assert complaint in one_line(said)
    assert said.code == 2


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_worker_without_an_app_that_has_nothing_to_serve_says_so_in_one_line(shell: Shell, processes: str) -> None:
    said = shell.call("worker", "--processes", processes)
    assert "there is nothing to serve: no app is named, headrace.toml has no table [commands.…]" in one_line(said)
    assert said.code == 2


@pytest.mark.parametrize("concurrency", ["0", "5000"])
def test_a_concurrency_out_of_range_is_explained_in_one_line(shell: Shell, concurrency: str) -> None:
    said = shell.call("worker", "app:hr", "--concurrency", concurrency)
    line = one_line(said)
    assert f"jobs.worker_concurrency = {concurrency} (flag)" in line
    assert said.code == 2


def test_a_variable_with_a_typing_error_is_explained_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)
    said = Shell(tmp_path, HEADRACE_JOBS_LEASE_DURATION="5").call("worker", "app:hr")
    assert "did you mean HEADRACE_JOBS_LEASE_DURATION_S?" in one_line(said)
    assert said.code == 2


@pytest.mark.parametrize("command", [("db", "status"), ("definitions", "sync", "app:hr")])
def test_a_database_that_does_not_answer_is_explained_in_one_line(shell: Shell, command: tuple[str, ...]) -> None:
    said = shell.call(*command)
    assert "cannot connect to PostgreSQL at 127.0.0.1:1/nothing" in one_line(said)
    assert said.code == 5
