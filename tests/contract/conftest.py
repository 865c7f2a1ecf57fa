"""Every way to run a job, in turn."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.contract.as_command import AsCommand
from tests.contract.as_sql import AsSql
from tests.contract.in_loop import InLoop
from tests.contract.in_process import InProcess
from tests.contract.in_thread import InThread
from tests.contract.way import Way

from headrace import Headrace
from headrace.db.connect import Connection

WAYS: list[type[Way]] = [InLoop, InThread, InProcess, AsCommand, AsSql]


@pytest.fixture(params=WAYS, ids=lambda way: way.name)
def way(request: pytest.FixtureRequest) -> Way:
    """One of them."""
    made: Way = request.param()
    return made


@pytest.fixture
async def hr(way: Way, database_url: str, connection: Connection) -> AsyncIterator[Headrace]:
    """An application with that way's jobs."""
    hr = await way.prepare(database_url, connection)
    yield hr
    await way.clean_up(connection)
