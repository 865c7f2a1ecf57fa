"""Starting is quick because little is loaded."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# Typer itself reads arguments with Pydantic.
HEAVY = ("asyncpg", "fastapi", "rich", "uvicorn", "headrace.app", "headrace.config", "structlog")
# Under way to a server, where the API is not in this process.
HEAVY_WITH_URL = ("asyncpg", "fastapi", "uvicorn", "click", "headrace.app", "headrace.config", "headrace.api")
LOADED = """
import json, sys
from headrace.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("LOADED", json.dumps(sorted(sys.modules)))
"""


def loaded(*words: str) -> set[str]:
    """The modules that a call loads."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, timeout=60, check=True
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
