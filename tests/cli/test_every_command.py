"""Every command, in both modes, for people and for programs, and with a mistake: `every/` says what is tried."""

from __future__ import annotations

import asyncio
import json
import shlex

import pytest
from tests.cli.calling import Said, Shell
from tests.cli.every.entry import EXIT_CODES, NOTHING
from tests.cli.every.machine import MACHINE
from tests.cli.every.table import FILES, TABLE, example, first_of_each_group, groups, missing, tree
from tests.cli.every.world import placed, prepare
from tests.cli.touring import Cli

NO_DATABASE = "postgresql://nobody@127.0.0.1:1/nothing"
# That there is nothing to connect to is what it is asked to find out.
FINDS_OUT = "doctor"


def test_every_command_is_tried() -> None:
    assert not missing({*TABLE, *MACHINE}), missing({*TABLE, *MACHINE})
    assert {*TABLE, *MACHINE} <= set(tree()), "there is an entry for a command that is not there"
    assert not set(TABLE) & set(MACHINE)


def test_every_help_has_an_example_of_its_own() -> None:
    assert [path for path in (*TABLE, *MACHINE) if not example(path).startswith(path)] == []


async def test_every_group_alone_prints_its_help(nowhere: Cli) -> None:
    alone = {words: await nowhere(*words) for words in groups()}
    helped = {words: Said(0, (await nowhere(*words, "--help")).out, "") for words in groups()}
    assert {words: said for words, said in alone.items() if said != helped[words]} == {}
    assert all(said.out.startswith(f"Usage: {' '.join(['headrace', *words])} ") for words, said in alone.items())


def test_every_mistake_has_a_code_for_scripts() -> None:
    assert [path for path, entry in TABLE.items() if entry.code not in {*EXIT_CODES} - {0}] == []


def test_every_command_with_json_names_some_of_its_keys() -> None:
    with_json = {path for path in TABLE if any(one.name == "as_json" for one in tree()[path].params)}
    assert {path for path, entry in TABLE.items() if entry.keys} == with_json


@pytest.mark.parametrize("file", FILES)
async def test_the_examples_work_for_people_and_for_programs(cli: Cli, file: str) -> None:
    await prepare(cli)
    for path, entry in FILES[file].items():
        said = await tried(cli, path, example(path))
        assert said.code == 0, (path, said)
        assert entry.says in said.out, (path, said)
        said = await tried(cli, path, f"{entry.program or example(path)} --json")
        assert said.code == 0, (path, said)
        for line in said.out.splitlines():
            assert set(entry.keys.split()) <= set(json.loads(line)), (path, line)


@pytest.mark.parametrize("file", FILES)
async def test_a_mistake_is_one_line_and_a_code(cli: Cli, file: str) -> None:
    for path, entry in FILES[file].items():
        for more in ("", " --json"):
            line = complaint(await cli(*await placed(cli, f"{path} {entry.bad}{more}")), entry.code)
            assert entry.complaint in line, (path, line)


@pytest.mark.parametrize("file", FILES)
async def test_what_cannot_be_reached_is_5(nowhere: Cli, file: str) -> None:
    for path in FILES[file]:
        words = about_nothing(path)
        assert "cannot reach http://127.0.0.1:1" in complaint(await nowhere(*words), 5)
        if path == FINDS_OUT:
            continue
        without_server = {"HEADRACE_URL": "", "HEADRACE_DATABASE_URL": NO_DATABASE}
        assert "cannot connect to PostgreSQL" in complaint(await nowhere(*words, **without_server), 5)


@pytest.mark.parametrize("file", FILES)
async def test_what_a_token_does_not_allow_is_4(served: Cli, file: str) -> None:
    worker = (await served.one("tokens", "create", "w", "--role", "worker"))["token"]
    for path in FILES[file]:
        if path != FINDS_OUT:
            complaint(await served(*about_nothing(path), HEADRACE_TOKEN=worker), 4)
        if path != FINDS_OUT:
            said = await served(*about_nothing(path), HEADRACE_TOKEN="hr_x")
            assert "needs a valid token: give --token" in complaint(said, 4)


@pytest.mark.parametrize("file", FILES)
async def test_the_program_itself_in_both_modes(cli: Cli, file: str) -> None:
    await prepare(cli)
    shell = Shell(cli.folder, **cli.variables)
    for path in first_of_each_group(FILES[file]):
        entry = TABLE[path]
        for before in entry.before:
            await cli(*await placed(cli, before))
        said = await asyncio.to_thread(shell.call, *await placed(cli, example(path)))
        assert (said.code, said.err) == (0, ""), said
        assert entry.says in said.out
        bad = await asyncio.to_thread(shell.call, *await placed(cli, f"{path} {entry.bad}"))
        assert entry.complaint in complaint(bad, entry.code)


def about_nothing(path: str) -> list[str]:
    """The words of an example, with ids of nothing: what is refused before anybody looks."""
    return [NOTHING if word in ("ID", "EVENT") else word for word in shlex.split(example(path))]


def complaint(said: Said, code: int) -> str:
    """The one line on stderr, with nothing else anywhere."""
    assert (said.code, said.out) == (code, ""), said
    (line,) = said.err.splitlines()
    assert line.startswith("headrace: "), line
    assert "Traceback" not in line
    return line


async def tried(cli: Cli, path: str, line: str) -> Said:
    """How a call ended, with what is made before and taken back after."""
    for before in TABLE[path].before:
        assert (await cli(*await placed(cli, before))).code == 0, before
    said = await cli(*await placed(cli, line))
    for after in TABLE[path].after:
        assert (await cli(*await placed(cli, after))).code == 0, after
    return said
