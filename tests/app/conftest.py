"""An open application, on a database of its test's own or shared by a module."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from tests.app.shop import make_shop
from tests.logins import Login, own_url
from tests.servers import TestServer

from headrace import Headrace


@pytest.fixture
async def hr(database_url: str) -> AsyncIterator[Headrace]:
    """On a database of its own."""
    async with make_shop(await declared(database_url)) as hr:
        yield hr


@pytest.fixture(scope="module")
def shared_url(embedded_server: TestServer, login: Login) -> Iterator[str]:
    """A migrated database that the tests of a module share."""
    with asyncio.Runner() as runner:
        database = (login.server or embedded_server).database()
        url = runner.run(database.__aenter__())
        yield runner.run(declared(url))
        runner.run(database.__aexit__(None, None, None))


async def declared(url: str) -> str:
    """Where an application logs in; one that may not declare its jobs finds that another process has."""
    if own_url(url) != url:
        async with make_shop(url):
            pass
    return own_url(url)


@pytest.fixture
async def shared_hr(shared_url: str) -> AsyncIterator[Headrace]:
    """On the module's database."""
    async with make_shop(shared_url) as hr:
        yield hr
