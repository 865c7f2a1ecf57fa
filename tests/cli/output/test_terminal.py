"""On a terminal, narrow or wide, with colours or without; and in a pipe, where nothing is cut."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from tests.cli.calling import Shell
from tests.cli.every.world import prepare
from tests.cli.touring import Cli

LISTS = [
    ("jobs", "list"),
    ("schedules", "list"),
    ("triggers", "list"),
    ("events", "list"),
    ("definitions", "list"),
    ("workers", "list"),
    ("queues", "list"),
    ("tenants", "list"),
    ("tokens", "list"),
    ("audit", "list"),
    ("stats",),
    ("doctor",),
]
STEERING = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


async def on_terminal(cli: Cli, *words: str, columns: int, **variables: str) -> str:
    """What a person sees."""
    shell = Shell(cli.folder, **{"NO_COLOR": "", "TERM": "xterm", **cli.variables, **variables})
    return await asyncio.to_thread(shell.on_terminal, *words, columns=columns)


@pytest.mark.parametrize("columns", [40, 80, 160])
async def test_no_line_of_a_list_is_wider_than_the_terminal(served: Cli, columns: int) -> None:
    await prepare(served)
    await served.ok("events", "emit", "folder.updated", "--data", json.dumps({"path": "/reports/" * 30}))
    for words in LISTS:
        shown = STEERING.sub("", await on_terminal(served, *words, columns=columns))
        assert shown.strip(), words
        assert max(map(len, shown.splitlines())) <= columns, (words, shown)


async def test_colours_are_for_terminals_that_want_them(served: Cli) -> None:
    await prepare(served)
    assert "\x1b[31mfailed" in await on_terminal(served, "jobs", "list", columns=120)
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        shown = await on_terminal(served, "jobs", "list", columns=120, **variables)
        assert "failed" in shown
        assert "\x1b[3" not in shown
    piped = await asyncio.to_thread(Shell(served.folder, **served.variables, NO_COLOR="").call, "jobs", "list")
    assert "failed" in piped.out
    assert "\x1b" not in piped.out


async def test_a_pipe_is_as_wide_as_need_be(served: Cli) -> None:
    long = "order " * 60
    job_id = await served.ended("say_hello", name=long)
    await served.ok("events", "emit", "folder.updated", "--data", json.dumps({"path": long}))
    shell = Shell(served.folder, **served.variables)
    del shell._environ["COLUMNS"]
    assert job_id in (await asyncio.to_thread(shell.call, "jobs", "list")).out
    assert long in (await asyncio.to_thread(shell.call, "jobs", "show", job_id)).out


async def test_json_is_readable_on_a_terminal_and_one_line_in_a_pipe(served: Cli) -> None:
    job_id = await served.ended("say_hello", name="x")
    shown = await on_terminal(served, "jobs", "show", job_id, "--json", columns=80)
    assert len(shown.splitlines()) > 10
    assert json.loads(shown)["id"] == job_id
    assert (await served.ok("jobs", "show", job_id, "--json")).count("\n") == 1
