"""The command line in both of its modes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.cli.touring import MODES, Cli, touring

from headrace import Headrace


@pytest.fixture(params=MODES)
async def cli(request: pytest.FixtureRequest, database_url: str, tmp_path: Path) -> AsyncIterator[Cli]:
    """Commands over a database, and over a server."""
    async with touring(request.param, database_url, tmp_path) as calls:
        yield calls


@pytest.fixture
async def served(database_url: str, tmp_path: Path) -> AsyncIterator[Cli]:
    """Commands over a server, which is quicker, for what is the same in both."""
    async with touring("server", database_url, tmp_path) as calls:
        yield calls


@pytest.fixture
def nowhere(tmp_path: Path) -> Cli:
    """Commands to a server that is not there: whatever they complain of, they have sent nothing."""
    return Cli(Headrace(app="nowhere"), tmp_path, {"HEADRACE_URL": "http://127.0.0.1:1", "HEADRACE_TOKEN": "hr_x"})
