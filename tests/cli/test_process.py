"""The command line as a process: its entry point, its exit codes, pipes, and what it shows of errors."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.api.served import serve
from tests.cli.calling import Shell, one_line
from tests.cli.touring import Cli, touring
from tests.waiting import PATIENCE

from headrace.service import Service

NOWHERE = "http://127.0.0.1:1"


async def test_both_modes_from_a_shell(database_url: str, tmp_path: Path) -> None:
    async with touring("database", database_url, tmp_path) as cli:
        token = (await Service(cli.hr).tokens.create("test", "super_admin")).token
        (tmp_path / "serve").mkdir()
        async with serve(database_url, tmp_path / "serve", token) as server:
            for shell in (
                Shell(tmp_path, HEADRACE_DATABASE_URL=database_url),
                Shell(tmp_path, HEADRACE_URL=server.url, HEADRACE_TOKEN=token),
            ):
                enqueue = ("jobs", "enqueue", "say_hello", "--payload-file", "-", "--wait", "--json")
                said = await asyncio.to_thread(shell.call, *enqueue, stdin='{"name": "x"}')
                assert (said.code, said.err) == (0, "")
                assert json.loads(said.out)["result"] == {"greeting": "Hello, x!"}


def test_a_server_that_does_not_answer_is_one_line_and_5(tmp_path: Path) -> None:
    said = Shell(tmp_path).call("jobs", "list", "--url", NOWHERE)
    assert "cannot reach http://127.0.0.1:1" in one_line(said)
    assert said.code == 5


def test_a_traceback_is_shown_to_those_who_ask_for_it(tmp_path: Path) -> None:
    said = Shell(tmp_path).call("--debug", "jobs", "list", "--url", NOWHERE)
    assert said.code == 5
    assert "Traceback (most recent call last)" in said.err
    assert "cannot reach http://127.0.0.1:1" in said.err.splitlines()[-1]


async def test_a_reader_that_leaves_early_is_no_error(served: Cli) -> None:
    for _ in range(3):
        await served.ended("say_hello", name="x" * 50_000)
    environ = {**os.environ, **served.variables}
    read, write = os.pipe()
    os.close(read)  # whoever was to read has left
    job = (await served.json("jobs", "list", "-n", "1"))[0]["id"]
    process = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "headrace", "jobs", "show", job, "--json"],
        env=environ,
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
        check=False,
    )
    os.close(write)
    assert process.stderr == b""


async def test_a_tenant_can_be_chosen(served: Cli) -> None:
    await served.enqueue("say_hello", name="x")
    assert len(await served.json("jobs", "list", "--tenant", "default")) == 1
    await served.refused("jobs", "list", "--tenant", "nobody", code=3)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--token", "hr_x"), "give its address with --url"),
        (("--url", "localhost:8720"), "--url is the address of a server"),
    ],
)
async def test_an_address_that_is_none_is_told(nowhere: Cli, words: tuple[str, str], complaint: str) -> None:
    nowhere.variables = {}
    assert complaint in await nowhere.refused("jobs", "list", *words)


async def test_the_shell_completes_what_there_is(served: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headrace.cli.core.completion.PATIENCE", 30)  # for a machine that is busy with other tests

    async def completed(*words: str) -> list[str]:
        variables = {
            "_HEADRACE_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(("headrace", *words)),
            "COMP_CWORD": str(len(words)),
        }
        return (await served(**variables)).out.split()

    assert await completed("jobs", "list", "--status", "s") == ["scheduled", "succeeded"]
    assert await completed("jobs", "enqueue", "say") == ["say_hello"]
    assert await completed("schedules", "show", "night") == ["nightly_cleanup"]
    job = await served.enqueue("say_hello", name="x")
    assert await completed("jobs", "show", job[:20]) == [job]


async def test_completion_never_fails_and_never_waits(nowhere: Cli) -> None:
    words = {"COMP_WORDS": "headrace jobs enqueue s", "COMP_CWORD": "3", "_HEADRACE_COMPLETE": "complete_bash"}
    said = await nowhere(**words)
    assert (said.out.strip(), said.err) == ("", "")
