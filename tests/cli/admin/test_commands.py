"""`headrace commands check`, and a worker that is told to read its commands again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.calling import Shell, one_line
from tests.waiting import PATIENCE, until
from tests.worker.running import said, until_said, until_status

from headrace.db.connect import Connection

ECHO = """
[commands.echo]
argv = ["/bin/echo", "--path={path}", "{job_id}"]
memory_mb = 256
open_files = 64
[commands.echo.args]
type = "object"
properties = { path = { type = "string" } }
required = ["path"]
additionalProperties = false
"""
BROKEN = """
[commands.broken]
argv = ["/no/such/program"]
pass_env = ["NOT_SET_ANYWHERE"]
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path, HEADRACE_DATABASE_URL="postgresql://nobody@127.0.0.1:1/nothing")


def write(shell: Shell, *tables: str) -> None:
    (shell.folder / "headrace.toml").write_text("".join(tables))


def test_a_check_shows_program_user_limits_and_hash_without_a_database(shell: Shell) -> None:
    write(shell, ECHO)
    checked = shell.call("commands", "check")
    assert (checked.code, checked.err) == (0, "")
    lines = [line.split(maxsplit=1) for line in checked.out.splitlines()]
    assert lines[:4] == [
        ["echo"],
        ["program", "/bin/echo"],
        ["user", f"this one ({os.getuid()})"],
        ["limits", "memory_mb 256, open_files 64"],
    ]
    assert len(lines[4][1]) == 16


def test_a_payload_shows_the_argv_it_would_give(shell: Shell) -> None:
    write(shell, ECHO)
    checked = shell.call("commands", "check", "echo", "--payload", '{"path": "a \\"b\\" $(id) é"}')
    assert checked.code == 0
    job_id = "01900000-0000-7000-8000-000000000000"
    assert f'would run ["/bin/echo", "--path=a \\"b\\" $(id) é", "{job_id}"]' in checked.out


def test_what_keeps_a_command_from_running_is_said_and_the_others_are_checked(shell: Shell) -> None:
    write(shell, ECHO, BROKEN)
    checked = shell.call("commands", "check")
    assert checked.code == 1
    assert "/no/such/program" in checked.err
    assert "problem: pass_env: NOT_SET_ANYWHERE is not set here" in checked.err
    assert "/bin/echo" in checked.out
    assert shell.call("commands", "check", "echo").code == 0


def test_a_payload_that_does_not_fit_is_a_problem(shell: Shell) -> None:
    write(shell, ECHO)
    checked = shell.call("commands", "check", "echo", "--payload", '{"path": 5}')
    assert checked.code == 1
    assert "path" in checked.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "other"), "unknown command 'other'; known commands: echo"),
        (("check", "--payload", "{no"), "--payload is not JSON"),
        (("check", "--payload", "[]"), "--payload must be a JSON object"),
    ],
)
def test_what_cannot_be_checked_is_one_line(shell: Shell, arguments: tuple[str, ...], words: str) -> None:
    write(shell, ECHO)
    checked = shell.call("commands", *arguments)
    assert checked.code != 0
    assert words in one_line(checked)


def test_a_value_too_short_to_be_masked_is_warned_of(tmp_path: Path) -> None:
    shell = Shell(tmp_path, PIN="1234")
    write(shell, '[commands.x]\nargv = ["/bin/echo"]\npass_env = ["PIN"]\n')
    checked = shell.call("commands", "check")
    assert checked.code == 0
    assert "warning: pass_env: the value of PIN is too short to be masked" in checked.out


def test_without_commands_a_check_says_so(shell: Shell) -> None:
    checked = shell.call("commands", "check")
    assert (checked.code, checked.out) == (0, "no commands: headrace.toml has no table [commands.…]\n")


Start = Callable[[], subprocess.Popen[bytes]]


@pytest.fixture
def live(tmp_path: Path, database_url: str) -> Iterator[tuple[Shell, Start]]:
    """A folder on a real database, and worker processes that are gone after the test."""
    shell = Shell(tmp_path, HEADRACE_DATABASE_URL=database_url, TOKEN="sk-live-abcdef0123456789")
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        started.append(shell.start("worker"))
        return started[-1]

    yield shell, start
    for worker in started:
        worker.terminate()
        worker.wait(PATIENCE)


def logged(shell: Shell) -> str:
    return (shell.folder / "said.log").read_text("utf-8", "replace")


def script(key: str, code: str, more: str = "") -> str:
    return f"[commands.{key}]\nargv = ['{sys.executable}', '-I', '-S', '-c', '''import os, time\n{code}''']\n{more}\n"


async def enqueue(connection: Connection, key: str) -> object:
    return await connection.fetchval("select headrace.enqueue($1)", key)


async def is_declared(connection: Connection, key: str) -> bool:
    return bool(await connection.fetchval("select exists (select from headrace.definition where key = $1)", key))


async def test_sighup_reads_the_commands_again(live: tuple[Shell, Start], connection: Connection) -> None:
    shell, start = live
    write(shell, script("first", "print(1)"))
    worker = start()
    await until("the worker knows the first", lambda: is_declared(connection, "first"))
    job_id = await enqueue(connection, "first")
    await until_said(connection, job_id, "1")  # type: ignore[arg-type]

    write(shell, script("first", "print(11)"), script("second", "print(2)"))
    worker.send_signal(signal.SIGHUP)
    await until("the worker knows the second", lambda: is_declared(connection, "second"))
    for key, words in (("first", "11"), ("second", "2")):
        job_id = await enqueue(connection, key)
        await until_said(connection, job_id, words)  # type: ignore[arg-type]

    write(shell, "[commands.first]\nargv = 5\n")
    worker.send_signal(signal.SIGHUP)
    await until("the file is refused", lambda: "reload of commands failed" in logged(shell))
    job_id = await enqueue(connection, "second")
    await until_status(connection, job_id, "succeeded")  # type: ignore[arg-type]
    assert await said(connection, job_id) == ["2"]  # type: ignore[arg-type]


async def test_a_command_that_is_taken_away_while_it_runs_ends_well_and_masked(
    live: tuple[Shell, Start], connection: Connection
) -> None:
    shell, start = live
    go = shell.folder / "go"
    code = f'print("started", flush=True)\nwhile not os.path.exists("{go}"): time.sleep(0.01)\n'
    code += 'open(os.environ["HEADRACE_RESULT"], "w").write("\\"" + os.environ["TOKEN"] + "\\"")'
    code = code.replace("{", "{{").replace("}", "}}")
    write(shell, script("leak", code, 'pass_env = ["TOKEN"]\nresult = "file"'))
    worker = start()
    await until("the worker knows it", lambda: is_declared(connection, "leak"))
    job_id = await enqueue(connection, "leak")
    await until_said(connection, job_id, "started")  # type: ignore[arg-type]
    write(shell, script("other", "print(1)"))
    worker.send_signal(signal.SIGHUP)
    await until("the worker knows the other", lambda: is_declared(connection, "other"))
    go.touch()
    await until_status(connection, job_id, "succeeded")  # type: ignore[arg-type]
    assert await connection.fetchval("select result::text from headrace.attempt") == '"***"'


async def test_a_worker_says_at_start_what_it_serves(live: tuple[Shell, Start]) -> None:
    shell, start = live
    write(shell, script("first", "print(1)"), script("second", "print(2)"), "[jobs]\nqueues = ['mail', 'default']\n")
    start()
    await until("it says so", lambda: "worker started" in logged(shell))
    lines = [json.loads(line) for line in logged(shell).splitlines()]
    (line,) = [line for line in lines if line["event"] == "worker started"]
    wanted = {"queues": ["default", "mail"], "jobs_of_the_app": 0, "commands": ["first", "second"], "sql_jobs": "off"}
    assert {key: line[key] for key in wanted} == wanted


def test_a_worker_with_an_unusable_command_does_not_start_and_says_why(live: tuple[Shell, Start]) -> None:
    shell, _ = live
    write(shell, BROKEN)
    ended = shell.call("worker")
    assert ended.code != 0
    assert "commands.broken cannot run here: " in ended.err
    assert "/no/such/program" in ended.err
