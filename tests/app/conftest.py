"""An open application, on a database of its test's own or shared by a module."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from tests.app.shop import make_shop
from tests.servers import TestServer

from headrace import Headrace


@pytest.fixture
async def hr(database_url: str) -> AsyncIterator[Headrace]:
    """On a database of its own."""
    async with make_shop(database_url) as hr:
        yield hr


@pytest.fixture(scope="module")
def shared_url(embedded_server: TestServer) -> Iterator[str]:
    """A migrated database that the tests of a module share."""
    with asyncio.Runner() as runner:
        database = embedded_server.database()
        url = runner.run(database.__aenter__())
        yield url
        runner.run(database.__aexit__(None, None, None))


@pytest.fixture
async def shared_hr(shared_url: str) -> AsyncIterator[Headrace]:
    """On the module's database."""
    async with make_shop(shared_url) as hr:
        yield hr
