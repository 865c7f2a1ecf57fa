"""Every command that does not speak to the API, from a shell: its example, and a mistake."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
from pathlib import Path

import pytest
from tests.api.served import free_port
from tests.cli.calling import Shell, one_line
from tests.cli.every.machine import MACHINE
from tests.cli.every.table import example
from tests.cli.touring import Cli
from tests.waiting import PATIENCE, until

from headrace.db.connect import Endpoint
from headrace.db.embedded.binaries import find_install
from headrace.db.migrate import migrate

APP = """
from headrace import Headrace

hr = Headrace()


@hr.job
async def ship(order: int) -> None: ...
"""
COMMAND = """
[commands.sync-dropbox]
argv = ["/bin/echo", "{path_prefix}"]
[commands.sync-dropbox.args]
type = "object"
properties = { path_prefix = { type = "string" } }
required = ["path_prefix"]
"""
STAYS = [path for path, entry in MACHINE.items() if entry.stays]
ENDS = [path for path, entry in MACHINE.items() if not entry.stays]


@pytest.fixture
async def shell(tmp_path: Path, empty_database_url: str) -> Shell:
    """A folder with an application, a command, and a database of its own."""
    await migrate(Endpoint(empty_database_url))
    (tmp_path / "shop").mkdir()
    for file in ("app.py", "shop/jobs.py"):
        (tmp_path / file).write_text(APP)
    variables = {"HEADRACE_DATABASE_URL": empty_database_url, "XDG_CONFIG_HOME": str(tmp_path)}
    return Shell(tmp_path, **variables, PATH=f"{find_install().bin_dir}:{os.environ['PATH']}")


def prepared(shell: Shell, path: str) -> None:
    """Nothing in the way of `config init`, and a command for the others."""
    if path != "config init":
        (shell.folder / "headrace.toml").write_text(COMMAND)


@pytest.mark.parametrize("path", [path for path in ENDS if not path.startswith("log")])
async def test_the_example_works(shell: Shell, path: str) -> None:
    prepared(shell, path)
    said = await asyncio.to_thread(shell.call, *shlex.split(example(path)))
    assert (said.code, said.err) == (0, ""), said
    assert MACHINE[path].says in said.out
    if MACHINE[path].keys:
        said = await asyncio.to_thread(shell.call, *shlex.split(example(path)), "--json")
        assert said.code == 0
        assert all(set(MACHINE[path].keys.split()) <= set(json.loads(line)) for line in said.out.splitlines())


@pytest.mark.parametrize("path", MACHINE)
async def test_a_mistake_is_one_line_and_a_code(shell: Shell, path: str) -> None:
    prepared(shell, "")
    said = await asyncio.to_thread(shell.call, *shlex.split(f"{path} {MACHINE[path].bad}"))
    assert MACHINE[path].complaint in one_line(said)
    assert said.code == MACHINE[path].code


@pytest.mark.parametrize("path", STAYS)
async def test_the_example_runs_until_it_is_stopped(shell: Shell, path: str) -> None:
    places = {"/tmp/try": str(shell.folder / "try"), "8720": str(free_port())}  # noqa: S108 - the help's own words
    words = [places.get(word, word) for word in shlex.split(example(path))]
    if path == "dev":
        words += ["--port", str(free_port())]
    process = shell.start(*words)
    try:
        log = shell.folder / "said.log"
        await until(f"headrace {path} has started", lambda: MACHINE[path].says in log.read_text())
    finally:
        process.send_signal(signal.SIGTERM)
        code = await asyncio.to_thread(process.wait, PATIENCE)
    assert code == 0
    assert "Traceback" not in log.read_text()


@pytest.mark.parametrize("words", [(), ("--json",)])
async def test_a_token_is_kept_and_forgotten_by_the_examples(served: Cli, shell: Shell, words: tuple[str, ...]) -> None:
    places = {"http://127.0.0.1:8720": served.variables["HEADRACE_URL"], "hr_…": served.variables["HEADRACE_TOKEN"]}
    for path in ("login", "logout"):
        call = [places.get(word, word) for word in shlex.split(example(path))]
        said = await asyncio.to_thread(shell.call, *call, *words)
        assert (said.code, said.err) == (0, ""), said
        if words:
            assert set(MACHINE[path].keys.split()) <= set(json.loads(said.out))
        else:
            assert MACHINE[path].says in said.out
