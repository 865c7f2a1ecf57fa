"""The dashboard in real Chromium, against a real server and real jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect
from tests.servers import TestServer
from tests.waiting import PATIENCE
from tests.web.browsing import chromium
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer, serve_dashboard

# For machines on which others work too; what holds at once is seen at once.
expect.set_options(timeout=1000 * PATIENCE)
# One loop for all tests here, so that they share the driver of the browser: to start it takes longer than most of them.
ONE_LOOP = pytest.mark.asyncio(loop_scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test of this folder runs in the session's loop."""
    for item in items:
        if pytest_asyncio.is_async_test(item) and item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(ONE_LOOP, append=False)


@pytest.fixture(scope="session")
def dashboard(embedded_server: TestServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DashboardServer]:
    """One server for all tests of this process; nobody serves queue `nobody`."""
    with serve_dashboard(embedded_server, tmp_path_factory.mktemp("dashboard"), queues="default") as server:
        yield server


@pytest.fixture(scope="session")
def chromium_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One Chromium for all tests of this process."""
    with chromium(tmp_path_factory.mktemp("chromium")) as url:
        yield url


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium_url: str) -> AsyncIterator[Browser]:
    """The same Chromium, as its driver shows it."""
    async with async_playwright() as playwright:
        connected = await playwright.chromium.connect_over_cdp(chromium_url)
        yield connected
        await connected.close()


@pytest.fixture
def tenant() -> str:
    """A name that nobody else has."""
    return f"t{uuid4().hex[:10]}"


@pytest_asyncio.fixture(loop_scope="session")
async def dash(browser: Browser, dashboard: DashboardServer, tenant: str) -> AsyncIterator[Dash]:
    """A tenant's admin at a desk; the page may complain of nothing."""
    async with reading(browser, dashboard, tenant) as reader:
        yield reader
        assert reader.troubles == []
