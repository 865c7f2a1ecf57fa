"""More connections to a test's database, for schedulers and operators who come at the same time."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.engine import Engine
from tests.queue.at_once import Another

from headrace.db.connect import OwnConnection


@pytest.fixture
async def another(engine: Engine) -> AsyncIterator[Another]:
    """Opens one more connection; all of them go with the test."""
    opened: list[OwnConnection] = []

    async def connect() -> OwnConnection:
        opened.append(await engine.endpoint.connect(f"another {len(opened) + 1}"))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.terminate()
