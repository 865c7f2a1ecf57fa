"""Every filter of every list, alone and with every other one: none is the server's fault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

from scripts.api_reference import openapi
from tests.api.access import ACCESS, IDS
from tests.api.asking import ask
from tests.api.test_access import READS, Operation, World, world

from headrace.service.principal import Role

__all__ = ["world"]

CALLERS: tuple[Role, ...] = ("super_admin", "tenant_admin")
ENDLESS = {"follow", "format"}  # of logs: they go on, and are no filters
VALUES = {"tenant": "acme", "cron": "0 2 * * *", "timezone": "UTC", "after": "0-0"}
NOT_ALONE = {"preview_schedule"}  # it is asked about a rule, whose other words mean nothing without it
MOMENTS = {"since": "2030-01-01T00:00:00Z", "until": "2030-01-08T00:00:00Z"}


def value_of(name: str, schema: dict[str, Any]) -> Any:
    """One that the schema allows."""
    for inner in schema.get("anyOf", []):
        if inner.get("type") != "null":
            return value_of(name, inner)
    if "$ref" in schema:
        return value_of(name, openapi()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "enum" in schema:
        return schema["enum"][0]
    if name in VALUES:
        return VALUES[name]
    match schema.get("type"), schema.get("format"):
        case "array", _:
            return [value_of(name, schema["items"])]
        case "boolean", _:
            return True
        case "integer" | "number", _:
            return schema.get("minimum", 1)
        case _, "uuid":
            return "00000000-0000-7000-8000-000000000000"
        case _, "date-time":
            return MOMENTS.get(name, "2030-01-01T00:00:00Z")
    return schema.get("const", "work")


def queries(operation: Operation) -> Iterator[dict[str, Any]]:
    """Each filter alone, then each pair, beside what the route asks for."""
    parameters = [
        one for one in openapi()["paths"][operation.path]["get"].get("parameters", []) if one["in"] == "query"
    ]
    needed = {one["name"]: value_of(one["name"], one["schema"]) for one in parameters if one.get("required")}
    filters = {
        one["name"]: value_of(one["name"], one["schema"])
        for one in parameters
        if one["name"] not in {*needed, *ENDLESS, "cursor"}
    }
    for size in (1, 2):
        for names in combinations(filters, size):
            yield {**needed, **{name: filters[name] for name in names}}


def expected(operation: Operation, caller: Role) -> set[int]:
    """What may be answered: nothing but a lack of rights stops before the query."""
    if operation.name in NOT_ALONE:
        return {200, 422}
    roles = ACCESS[operation.name].roles
    return {200} if roles is None or caller in roles else {403}


async def test_no_pair_of_filters_of_a_list_breaks_it(world: World) -> None:
    broken, refused, asked = [], [], 0
    for operation in READS:
        access = ACCESS[operation.name]
        path = operation.path
        if access.of is not None:
            path = path.replace(f"{{{access.of}_id}}", world.ids["acme"][access.of])
        path = path.format(**IDS, job_id=world.ids["acme"]["job"])
        for query in queries(operation):
            said = urlencode(
                {name: str(value).lower() if value is True else value for name, value in query.items()}, True
            )
            for caller in CALLERS:
                asked += 1
                answer = await ask(world.api.asgi, "get", path, token=world.tokens[caller], query=said)
                if answer.status >= 500 or answer.status == 0:
                    broken.append(f"{caller}: {path}?{said}: {answer.status} {answer.body[:200]}")
                elif answer.status not in expected(operation, caller):
                    refused.append(f"{caller}: {path}?{said}: {answer.status} {answer.body[:200]}")
    assert not broken, "\n".join(broken)
    assert not refused, "each should come to its query:\n" + "\n".join(refused)
    assert asked > 300


async def test_no_pair_of_filters_of_a_bulk_change_breaks_it(world: World) -> None:
    properties = openapi()["components"]["schemas"]["BulkFilter"]["properties"]
    filters = {name: value_of(name, schema) for name, schema in properties.items() if name != "status"}
    broken = []
    for names in [(name,) for name in filters] + list(combinations(filters, 2)):
        for status in ([], ["queued"], ["dead_letter"]):
            chosen = {"status": status, **{name: filters[name] for name in names}}
            action = "retry" if status == ["dead_letter"] else "cancel"
            body = {"action": action, "filter": chosen, "dry_run": True}
            for caller in CALLERS:
                answer = await ask(world.api.asgi, "post", "/api/v1/jobs/bulk", token=world.tokens[caller], body=body)
                if answer.status != 200 and not (answer.status == 403 and "include_system" in names):
                    broken.append(f"{caller}: {json.dumps(body)}: {answer.status} {answer.body[:200]}")
    assert not broken, "\n".join(broken)
