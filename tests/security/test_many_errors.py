"""What is wrong with a request is said in a few errors: 200,000 would hold the server for a second."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from pydantic_core import core_schema
from tests.api.access import ACCESS
from tests.api.conftest import Api
from tests.api.requests.test_bodies import path_of
from tests.api.test_access import operations

from headrace.api.lazy_routes import EVERY, router_of
from headrace.api.routes.alerts.rules import NewRule
from headrace.api.routes.worker.registration import RegistrationRequest
from headrace.api.routes.worker.schemas import Lines
from headrace.errors import BadRequest
from headrace.model.settings.definition import DeclaredSettings

UNKNOWN = {f"k{number}": 0 for number in range(5_000)}


async def test_any_number_of_unknown_fields_is_one_error(api: Api, record_property: Any) -> None:
    token = await api.token("super_admin")
    asked = 0
    async with api.with_token(token) as client:
        for operation in operations():
            if operation.method == "get" or ACCESS[operation.name].body is None:
                continue
            path = path_of(operation.path)
            answer = await client.request(operation.method, path, json=UNKNOWN)
            assert answer.status_code == 422, (operation, answer.text[:300])
            [error] = answer.json()["errors"]
            assert (error["field"], len(answer.content) < 1_000) == ("body", True), (operation, error)
            assert error["message"] == "unknown fields: k0, k1, k2, k3, k4 and 4,995 more"
            asked += 1
    record_property("cases", asked)
    assert asked > 20


@pytest.mark.parametrize(
    ("model", "given"),
    [
        (Lines, {"worker_id": 1, "lines": [{}] * 2_000}),
        (Lines, {"worker_id": 1, "lines": [UNKNOWN]}),
        (NewRule, {"name": "a", "kind": "no_worker", "targets": ["a"] * 2_000}),
        (NewRule, {"name": "a", "kind": "no_worker", "parameters": {key: [] for key in UNKNOWN}}),
        (RegistrationRequest, {"name": "a", "definitions": [" "] * 2_000}),
    ],
)
def test_lists_of_wrong_things_are_a_few_errors(model: Any, given: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(model).validate_python(given)
    assert refused.value.error_count() <= 20


def test_unknown_settings_are_one_sentence() -> None:
    with pytest.raises(BadRequest, match=r"unknown fields: k0, .* and 4,995 more") as refused:
        DeclaredSettings.read(UNKNOWN)
    assert len(str(refused.value)) < 200


def test_no_list_of_a_request_goes_on_after_its_first_wrong_item() -> None:
    routes = [route for part in EVERY for route in router_of(part).routes if isinstance(route, APIRoute)]
    lists = 0
    for route in routes:
        if route.body_field is None:
            continue
        annotation: Any = route.body_field.field_info.annotation
        schema = TypeAdapter(annotation).core_schema
        for part in parts(schema):
            if part["type"] in ("list", "tuple", "set", "frozenset", "generator"):
                lists += 1
                assert part.get("fail_fast"), (route.name, part)
    assert lists > 10


def parts(schema: Any) -> Iterator[core_schema.CoreSchema]:
    """A schema and all schemas in it."""
    if isinstance(schema, dict):
        if isinstance(schema.get("type"), str) and not isinstance(schema.get("metadata"), str):
            yield schema
        for name, inner in schema.items():
            if name not in ("metadata", "serialization"):
                yield from parts(inner)
    elif isinstance(schema, list | tuple):
        for inner in schema:
            yield from parts(inner)
