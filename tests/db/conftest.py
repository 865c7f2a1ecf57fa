"""A database for a whole module, where each test leaves it as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from tests.servers import TestServer


@pytest.fixture(scope="module")
def shared_url(embedded_server: TestServer) -> Iterator[str]:
    """A migrated database that the tests of a module share."""
    with asyncio.Runner() as runner:
        database = embedded_server.database(fresh=True)
        url = runner.run(database.__aenter__())
        yield url
        runner.run(database.__aexit__(None, None, None))
