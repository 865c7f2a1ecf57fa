"""A process that asks a few things loads the routes that answer them, and no others."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api

import headrace.api.routes
from headrace.api.app import create_app, routes
from headrace.api.lazy_routes import AT_THE_ROOT, EVERY, PREFIX, ROUTE_MODULES, modules_for, router_of
from headrace.service.principal import SYSTEM

ID = "01900000-0000-7000-8000-000000000000"
# The last has the time of day in its answer.
ASKED = ("/jobs?limit=5", "/jobs?limt=5", "/jobs/triggers", "/admin/queues", "/nothing", "/jobs/no-id", "/jobs/summary")


def modules() -> Iterator[str]:
    """The modules below `routes` that have a router."""
    here = headrace.api.routes
    for found in pkgutil.walk_packages(here.__path__, f"{here.__name__}."):
        name = found.name.removeprefix(f"{here.__name__}.")
        if not found.ispkg and hasattr(__import__(found.name, fromlist=["router"]), "router"):
            yield name


def paths() -> list[tuple[str, str]]:
    """Every module with each of its paths, as somebody would ask for it."""
    return [(part, asked(part, route)) for part in EVERY for route in router_of(part).routes]


def asked(part: str, route: Any) -> str:
    """A path with an id in each of its places."""
    return (PREFIX if part in ROUTE_MODULES else "") + re.sub(r"\{[^}]*\}", ID, route.path)


def test_every_module_of_routes_is_a_part() -> None:
    assert sorted(modules()) == sorted(EVERY), "name new modules, and where their paths begin, in api/lazy_routes.py"


@pytest.mark.parametrize(("part", "path"), paths())
def test_a_path_is_answered_by_a_part_that_is_loaded_for_it(part: str, path: str) -> None:
    assert part in modules_for(path), f"say in api/lazy_routes.py that {path} is answered by {part!r}"


def test_little_is_loaded_for_a_path() -> None:
    assert modules_for(f"{PREFIX}/jobs") == ("jobs.routes",)
    assert modules_for(f"{PREFIX}/jobs/bulk") == ("jobs.bulk",)
    assert modules_for(f"{PREFIX}/admin/tokens") == ("admin.tokens",)
    assert modules_for(f"{PREFIX}/nothing") == ()
    assert modules_for("/healthz") == AT_THE_ROOT


async def test_a_brief_application_answers_as_the_whole_does(api: Api) -> None:
    lazy = create_app(api.hr, identify=lambda _request: SYSTEM, lazy=True)
    whole = create_app(api.hr, identify=lambda _request: SYSTEM)
    answers = []
    for app in (lazy, whole):
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://headrace.test") as client:
            found = [await client.get(PREFIX + path) for path in ASKED]
            answers.append([(one.status_code, one.headers["content-type"], one.json()) for one in found])
        await app.stop()
    assert [status for status, *_ in answers[0]] == [200, 422, 200, 200, 404, 422, 200]
    assert answers[0][:-1] == answers[1][:-1]


def test_routes_are_built_once_for_each_choice() -> None:
    assert routes(("jobs.routes",)) is routes(("jobs.routes",))
    assert routes(("jobs.routes",)) is not routes()
