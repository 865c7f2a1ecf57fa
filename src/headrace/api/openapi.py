"""The OpenAPI document, as FastAPI writes it and mended where that is not what is answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI

PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
LICENSE = {"name": "Apache-2.0", "identifier": "Apache-2.0"}
# Wherever this is served from. A host that mounts it has its own path added.
SERVERS = [{"url": "/", "description": "this server"}]


def describe_exactly(app: FastAPI) -> None:
    """Let the application's document say of errors and credentials what holds."""
    write = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            for operation in _operations(write()):
                _mend(operation)
        return write()

    app.openapi = openapi  # type: ignore[method-assign] # as FastAPI's own guide has it


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        yield from methods.values()


def _mend(operation: dict[str, Any]) -> None:
    for status, response in operation["responses"].items():
        if status >= "400":
            response["content"] = PROBLEM  # FastAPI has every model under application/json
    operation.setdefault("security", [])  # said too where nobody is asked for a credential
