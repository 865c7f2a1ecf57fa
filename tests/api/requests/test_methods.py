"""Methods and media types: what a path answers to is said, and what it does not is refused before anything else."""

from __future__ import annotations

import asyncio
from collections import defaultdict

import httpx
import pytest
from scripts.api_reference import METHODS, openapi
from tests.api.access import ACCESS, IDS
from tests.api.conftest import Api
from tests.api.listening import served
from tests.api.test_access import READS, World, world

from headrace.service.jobs.service import Jobs

__all__ = ["world"]


async def test_allow_has_every_method_of_a_path(admin: httpx.AsyncClient) -> None:
    known: dict[str, set[str]] = defaultdict(set)
    for path, operations in openapi()["paths"].items():
        named = path.format(**IDS, **dict.fromkeys(NAMES, "00000000-0000-7000-8000-000000000000"))
        known[named] |= {method.upper() for method in operations if method in METHODS}
    wrong = []
    for path, methods in known.items():
        expected = {*methods, "HEAD"} if "GET" in methods else methods
        for method in {"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT", "PURGE"} - expected:
            answer = await admin.request(method, path)
            allowed = set(answer.headers.get("Allow", "").split(", "))
            if answer.status_code != 405 or allowed != expected:
                wrong.append(f"{method} {path}: {answer.status_code} {allowed}, not {expected}")
    assert not wrong, "\n".join(wrong)


async def test_head_answers_as_get_does_without_a_body(world: World) -> None:
    token = world.tokens["super_admin"]
    wrong = []
    async with world.api.with_token(token) as client:
        for operation in READS:
            access = ACCESS[operation.name]
            path = operation.path
            if access.of is not None:
                path = path.replace(f"{{{access.of}_id}}", world.ids["acme"][access.of])
            path = f"{path.format(**IDS, job_id=world.ids['acme']['job'])}?{access.query}"
            head = await asyncio.wait_for(client.head(path), 60)
            if operation.name in ("stream", "readyz"):
                expected = head.status_code if head.status_code in (200, 503) else 200
            else:
                expected = (await client.get(path)).status_code
            if head.status_code != expected or head.content:
                wrong.append(f"{path}: {head.status_code}, not {expected}: {head.content[:100]!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded"])
async def test_a_body_that_is_not_said_to_be_json_is_refused_as_that_and_a_stranger_before(
    api: Api, acme: httpx.AsyncClient, kind: str | None
) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    answer = await acme.post("/api/v1/jobs", content=b"{}", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert "application/json" in answer.json()["detail"]
    async with api.with_token(None) as stranger:
        assert (await stranger.post("/api/v1/jobs", content=b"{}", headers=headers)).status_code == 401
    assert (await acme.post("/api/v1/jobs")).status_code == 422


async def test_after_an_error_of_ours_the_connection_ends_and_the_client_is_told(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def break_down(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    token = await api.token("super_admin")
    monkeypatch.setattr(Jobs, "list", break_down)
    async with served(api.asgi) as url, api_client(url, token) as client:
        answer = await client.get("/api/v1/jobs")
        assert (answer.status_code, answer.headers.get("Connection")) == (500, "close")
        assert (await client.get("/api/v1/definitions")).status_code == 200


def api_client(url: str, token: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60)


NAMES = ("job_id", "trigger_id", "event_id", "operation_id", "alert_id", "alert_rule_id", "alert_target_id")
