"""Applications on a database of the test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.worker import handlers
from tests.worker.over_http import workers_over_http
from tests.worker.running import app_on, set_up

from headrace import Headrace


@pytest.fixture(autouse=True)
def transport(request: pytest.FixtureRequest) -> Iterator[str]:
    """How workers of this test reach their jobs."""
    if request.param == "postgres":
        yield "postgres"
        return
    if "database_url" in request.fixturenames:
        request.getfixturevalue("database_url")  # first, so that the server leaves it before it goes
    with workers_over_http():
        yield "http"


@pytest.fixture
def hr(database_url: str) -> Headrace:
    """An application without jobs: the test declares them."""
    return app_on(database_url)


@pytest.fixture
def declared(database_url: str) -> Iterator[Headrace]:
    """The application that `tests/worker/handlers.py` declares, as child processes find it too."""
    yield set_up(handlers.hr, database_url)
    handlers.hr._settings = None
