"""Every example in the help of a command works as it stands."""

from __future__ import annotations

import asyncio
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.cli.calling import Shell
from tests.cli.touring import Cli

from headrace.cli.main import load

GROUPS = ("jobs", "schedules", "triggers", "events", "logs", "definitions")
# Needs an application of that name, and so a process of its own.
ELSEWHERE = "definitions sync"
SHOP = """
from headrace import Headrace

hr = Headrace()


@hr.job
async def ship(order: int) -> None: ...
"""


def commands(command: Any, path: str) -> list[tuple[str, Any]]:
    """All commands of a group and of its groups."""
    if not hasattr(command, "commands"):
        return [(path, command)]
    return [found for name, sub in command.commands.items() for found in commands(sub, f"{path} {name}")]


COMMANDS = [found for group in GROUPS for found in commands(load(group), group)]


def example(command: Any) -> str:
    """The last line of a help, which is one."""
    last = (command.help or "").strip().splitlines()[-1].strip()
    found = re.fullmatch(r"Example: (headrace .+)", last)
    assert found is not None, f"the help of {command.name} ends without an example: {last!r}"
    return found[1]


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[path for path, _ in COMMANDS])
def test_every_help_ends_with_an_example_of_its_own(path: str, command: Any) -> None:
    assert example(command).startswith(f"headrace {path}")


@pytest.mark.parametrize("group", GROUPS)
async def test_the_examples_work(cli: Cli, group: str) -> None:
    await prepare(cli)
    for path, command in commands(load(group), group):
        if path == ELSEWHERE:
            continue
        line = example(command)
        words = [await placed(cli, word, path) for word in shlex.split(line)[1:]]
        said = await cli(*words)
        assert said.code == 0, (line, said)
        if path == "definitions disable":
            await cli.ok("definitions", "enable", "say_hello")


async def test_the_example_of_a_sync_works(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "jobs.py").write_text(SHOP)
    line = example(dict(COMMANDS)[ELSEWHERE])
    said = await asyncio.to_thread(Shell(tmp_path, HEADRACE_DATABASE_URL=database_url).call, *shlex.split(line)[1:])
    assert said == (0, "added    ship\n", "")


async def prepare(cli: Cli) -> None:
    """What examples speak of."""
    await cli.ended("send_reminder", user_id=42)
    template = ("--template", '{"name": "x"}')
    await cli.ok("triggers", "create", "on-folder", "say_hello", "--event", "folder.*", *template)
    await cli.ok("triggers", "create", "hourly", "say_hello", "--every", "1h", *template)


async def placed(cli: Cli, word: str, path: str) -> str:
    """A word of an example, with what there is in the place of ID and EVENT."""
    if word == "EVENT":
        return str((await cli.one("events", "emit", "folder.updated"))["id"])
    if word == "ID":
        return await (cli.ended("say_hello", name="x") if "cancel" not in path else cli.enqueue("say_hello", name="x"))
    return word
