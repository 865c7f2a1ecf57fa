"""The tenants of a definition over HTTP: to others it does not exist, and what they had of it does not run."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from scripts.api_reference import openapi
from tests.api.conftest import Api

V1 = "/api/v1"
WORK = f"{V1}/admin/jobs/definitions/work"
# What a tenant may try in order to run a definition or to learn of it.
TRIES: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", "/definitions/{}", {}),
    ("POST", "/jobs", {"definition": "{}"}),
    ("POST", "/jobs", {"definition": "{}", "payload": {"wrong": 1}}),
    ("POST", "/jobs/batch", {"jobs": [{"definition": "greet", "payload": {"name": "a"}}, {"definition": "{}"}]}),
    ("POST", "/jobs/triggers", {"name": "mine", "definition": "{}", "cron": "@daily"}),
    ("GET", "/charts/throughput?definition={}", {}),
    ("GET", "/logs?definition={}", {}),
    ("POST", "/jobs/triggers/test-render", {"definition": "{}", "payload": {}, "event": "a", "data": {}}),
]


async def allow(admin: httpx.AsyncClient, *tenants: str) -> None:
    answer = await admin.patch(WORK, json={"tenants": list(tenants) or None})
    assert answer.status_code == 200, answer.text
    assert answer.json()["tenants"] == (list(tenants) or None)


def about(key: str, body: Any) -> Any:
    """The body with the key in its place."""
    if isinstance(body, dict):
        return {name: about(key, value) for name, value in body.items()}
    if isinstance(body, list):
        return [about(key, value) for value in body]
    return key if body == "{}" else body


@pytest.mark.parametrize(("method", "path", "body"), TRIES, ids=lambda value: value if isinstance(value, str) else "")
async def test_what_a_tenant_may_not_run_is_to_it_as_what_does_not_exist(
    admin: httpx.AsyncClient, acme: httpx.AsyncClient, method: str, path: str, body: dict[str, Any]
) -> None:
    await allow(admin, "globex")

    async def asked(key: str) -> tuple[int, str]:
        answer = await acme.request(method, V1 + path.format(key), json=about(key, body) or None)
        problem = {name: value for name, value in answer.json().items() if name not in ("instance", "request_id")}
        return answer.status_code, str(problem).replace(key, "…")

    status, problem = await asked("work")
    assert (status, problem) == await asked("nothing")
    assert status == 404, problem
    assert "globex" not in problem
    assert "work" not in [one["key"] for one in (await acme.get(f"{V1}/definitions")).json()["items"]]
    assert (await acme.get(f"{V1}/jobs")).json()["items"] == []


async def test_what_a_tenant_had_before_the_list_does_not_run_again(
    api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient
) -> None:
    jobs = [(await acme.post(f"{V1}/jobs", json={"definition": "work"})).json()["id"] for _ in range(2)]
    made = await acme.post(f"{V1}/jobs/triggers", json={"name": "mine", "definition": "work", "cron": "@daily"})
    await api.end(jobs[0], "dead_letter")
    await allow(admin, "globex")
    retried = await acme.post(f"{V1}/jobs/{jobs[0]}/retry")
    fired = await acme.post(f"{V1}/jobs/triggers/{made.json()['id']}/fire")
    edited = await acme.post(f"{V1}/jobs/{jobs[0]}/retry", json={"payload": {}})
    assert [answer.status_code for answer in (retried, fired, edited)] == [409, 409, 404]
    assert 'tenant "acme" may not run definition "work"' in retried.json()["detail"]
    waiting = (await acme.get(f"{V1}/jobs/{jobs[1]}/why")).json()["reasons"]
    assert waiting[0] == {
        "code": "tenant_not_allowed",
        "detail": 'The tenant "acme" may not run the definition "work": add the tenant to the list '
        '("headrace definitions set work tenants=…,acme"), or cancel the job.',
    }
    shown = (await acme.get(f"{V1}/jobs/triggers/{made.json()['id']}")).json()
    assert shown["obstacle"] == "tenant_not_allowed"
    await allow(admin)
    assert (await acme.post(f"{V1}/jobs/{jobs[0]}/retry")).status_code == 200


async def test_of_those_that_may_a_tenant_sees_itself_alone(
    api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient
) -> None:
    await allow(admin, "globex", "acme")
    assert (await acme.get(f"{V1}/definitions/work")).json()["tenants"] == ["acme"]
    listed = (await acme.get(f"{V1}/definitions")).json()["items"]
    assert [one["tenants"] for one in listed if one["key"] == "work"] == [["acme"]]
    assert (await acme.post(f"{V1}/jobs", json={"definition": "work"})).status_code == 201
    # A super-admin at work for a tenant is offered what that tenant may run.
    await allow(admin, "globex")
    token = await api.token("super_admin")
    for tenant, sees in (("acme", False), ("globex", True)):
        async with api.with_token(token, **{"X-Headrace-Tenant": tenant}) as client:
            offered = [one["key"] for one in (await client.get(f"{V1}/definitions")).json()["items"]]
            assert ("work" in offered) == sees


@pytest.mark.parametrize("tenants", [[], ["a b"], ["acme,globex"], "acme", [None]])
async def test_a_list_that_names_no_tenants_is_refused(admin: httpx.AsyncClient, tenants: Any) -> None:
    answer = await admin.patch(WORK, json={"tenants": tenants})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].startswith("tenants")


async def test_a_built_in_job_takes_no_tenants(api: Api, admin: httpx.AsyncClient) -> None:
    await api.execute("update headrace.definition set system = true where key = 'work'")
    answer = await admin.patch(WORK, json={"tenants": ["acme"]})
    assert answer.status_code == 422
    assert "built-in" in answer.json()["detail"]


def filtered_lists() -> list[str]:
    """Every list that takes a definition."""
    return [
        path
        for path, methods in openapi()["paths"].items()
        if any(one["name"] == "definition" for one in methods.get("get", {}).get("parameters", ())) and "{" not in path
    ]


@pytest.mark.parametrize("path", filtered_lists())
async def test_a_filter_says_no_more_of_what_a_tenant_may_not_run_than_of_what_does_not_exist(
    api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient, path: str
) -> None:
    await allow(admin, "globex")
    await api.execute("update headrace.definition set system = true where key = 'hold'")
    answers = [await acme.get(path, params={"definition": key}) for key in ("nothing", "work", "hold")]
    assert len({answer.status_code for answer in answers}) == 1
    if answers[0].status_code == 200:
        assert [answer.json()["items"] for answer in answers] == [[], [], []]


async def test_a_tenant_still_finds_what_it_ran_before_the_list(
    api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient
) -> None:
    await acme.post(f"{V1}/jobs", json={"definition": "work"})
    await api.fold()
    await allow(admin, "globex")
    for path in ("charts/throughput", "logs"):
        assert (await acme.get(f"{V1}/{path}?definition=work")).status_code == 200
