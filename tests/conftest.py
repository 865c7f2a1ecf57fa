"""Real PostgreSQL for every test: a server shared by the whole run, a database of its own for each test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from scripts.install_chromium import find
from tests.at_once import Another
from tests.engine import Engine
from tests.logins import OWNER, Login, log_in
from tests.servers import TestServer, start_server

from headrace.db.connect import Connection, Endpoint, OwnConnection

pytest_plugins = ["tests.leftovers", "tests.tiers"]

# The same questions each time, and no judgement of how long a busy machine takes to think of them.
settings.register_profile(
    "tests",
    deadline=None,
    derandomize=not os.environ.get("LONG_TESTS"),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("tests")

# A shell's background job ignores Ctrl-C, and so would the processes that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Jobs of Headrace's own run where a test asks for them, also in processes that tests start.
os.environ.setdefault("HEADRACE_BUILTIN_ENABLED", "false")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without a browser there is nothing to test the dashboard with; `make test` has said what is missing."""
    return True if collection_path == Path(__file__).parent / "web" and find() is None else None


def pytest_collection_finish() -> None:
    """Thousands of tests and their modules stay to the end: nobody need look through them for garbage again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What tests of odd characters print has to reach the controlling process, which takes UTF-8 alone."""
    report = yield
    report.sections = [(name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections]
    if isinstance(report.longrepr, str):
        report.longrepr = report.longrepr.encode(errors="backslashreplace").decode()
    return report


def wants_a_fresh_one(request: pytest.FixtureRequest) -> bool:
    """Tests of the schema itself, and of plans, which depend on what was in the tables before."""
    return request.path.parent.name == "db"


@pytest.fixture(scope="session")
def embedded_server() -> Iterator[TestServer]:
    """PostgreSQL 18, the embedded one."""
    with start_server("18", Path(os.environ["TESTS_SERVERS_FOLDER"])) as server:
        yield server


@pytest.fixture(scope="session")
def every_server(request: pytest.FixtureRequest) -> Iterator[TestServer]:
    """The PostgreSQL that the test runs on."""
    with start_server(request.param, Path(os.environ["TESTS_SERVERS_FOLDER"])) as server:
        yield server


@pytest.fixture(autouse=True, scope="session")
def login(request: pytest.FixtureRequest) -> Iterator[Login]:
    """As whom processes under test log in: as the schema's owner, unless `tiers.py` says more."""
    if getattr(request, "param", None) is None:
        yield OWNER
        return
    role, major = request.param
    with start_server(major, Path(os.environ["TESTS_SERVERS_FOLDER"])) as server:
        login = Login(role, server)
        log_in(login)
        yield login
        log_in(OWNER)


@pytest.fixture
async def database_url(embedded_server: TestServer, login: Login, request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """A migrated database of this test's own, on the embedded server or on that of the login."""
    async with (login.server or embedded_server).database(fresh=wants_a_fresh_one(request)) as url:
        yield url


@pytest.fixture
async def empty_database_url(embedded_server: TestServer) -> AsyncIterator[str]:
    """A database that was never migrated."""
    async with embedded_server.database(template="template1") as url:
        yield url


@pytest.fixture
async def engine(every_server: TestServer, request: pytest.FixtureRequest) -> AsyncIterator[Engine]:
    """The engine's verbs on a migrated database; `tiers.py` says which tests run on older versions too."""
    async with every_server.database(fresh=wants_a_fresh_one(request)) as url:
        endpoint = Endpoint(url)
        connection = await endpoint.connect("test")
        try:
            yield Engine(endpoint, connection)
        finally:
            await connection.close()


@pytest.fixture
async def another(engine: Engine) -> AsyncIterator[Another]:
    """Opens one more connection to the engine's database; all of them go with the test."""
    opened: list[OwnConnection] = []

    async def connect() -> OwnConnection:
        opened.append(await engine.endpoint.connect(f"another {len(opened) + 1}"))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.terminate()


@pytest.fixture
async def connection(database_url: str) -> AsyncIterator[Connection]:
    """A connection to this test's database, on the embedded server."""
    connection = await Endpoint(database_url).connect("test")
    try:
        yield connection
    finally:
        await connection.close()


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """What OpenTelemetry's SDK keeps of this test's spans."""
    from tests.spans import keeping_spans  # where nobody asks for spans, the SDK is not loaded

    with keeping_spans(monkeypatch) as kept:
        yield kept
