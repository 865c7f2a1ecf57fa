"""Starting is quick because little is loaded."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.calling import Shell
from tests.waiting import PATIENCE

# Typer itself reads arguments with Pydantic.
HEAVY = ("asyncpg", "fastapi", "rich", "uvicorn", "headrace.app", "headrace.config", "structlog")
# Under way to a server, where the API is not in this process.
HEAVY_WITH_URL = ("asyncpg", "fastapi", "uvicorn", "click", "headrace.app", "headrace.config", "headrace.api")
# A read without a server: the routes and verbs of its noun, and nothing that runs jobs.
HEAVY_IN_PROCESS = (
    "cryptography",
    "httpx",
    "prometheus_client",
    "structlog",
    "uvicorn",
    "headrace.api.routes.triggers.routes",
    "headrace.api.routes.worker.routes",
    "headrace.app",
    "headrace.db.embedded",
    "headrace.executors",
    "headrace.service.triggers",
    "headrace.worker",
)
LOADED = """
import json, sys
from headrace.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("LOADED", json.dumps(sorted(sys.modules)))
"""


def loaded(*words: str, **variables: str) -> set[str]:
    """The modules that a call loads."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
        env={**os.environ, **variables},
    )
    return set(json.loads(done.stdout.rsplit("LOADED ", 1)[1]))


@pytest.mark.parametrize("words", [("--help",), ()])
def test_the_help_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    assert loaded(*words) & {*HEAVY, "httpx", "pydantic"} == set()


@pytest.mark.parametrize("words", [("--version",), ("jobs", "--help"), ("queues", "pause", "--help")])
def test_other_help_loads_little(words: tuple[str, ...]) -> None:
    assert loaded(*words) & set(HEAVY) == set()


@pytest.mark.parametrize("words", [("jobs", "list"), ("queues", "list", "--json"), ("top",)])
def test_a_call_to_a_server_loads_no_server(words: tuple[str, ...]) -> None:
    assert loaded(*words, "--url", "http://127.0.0.1:1", "--token", "hr_x") & set(HEAVY_WITH_URL) == set()


@pytest.mark.parametrize("words", [("jobs", "list"), ("queues", "list", "--json"), ("tokens", "list")])
async def test_a_read_without_a_server_loads_no_more_than_it_needs(
    database_url: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    found = await asyncio.to_thread(loaded, *words, HEADRACE_DATABASE_URL=database_url)
    assert {"asyncpg", "fastapi", f"headrace.service.{words[0]}"} <= found
    assert found & set(HEAVY_IN_PROCESS) == set()


def test_the_program_ends_with_the_code_of_the_command(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert shell.call("--version").out.startswith("headrace ")
    assert shell.call("jobs", "list", "--url", "nowhere").code == 2
    assert shell.call("jobs", "list", "--url", "http://127.0.0.1:1").code == 5
