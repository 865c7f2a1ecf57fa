"""What all requests and answers share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

from headrace.api.problems import Problem
from headrace.model.unknown_fields import FEW, refuse_many_unknown

Item = TypeVar("Item")

# What PostgreSQL can hold: text without a NUL. JSON cannot carry lone surrogates once it is UTF-8.
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:-]*$", max_length=200)]


class RequestModel(BaseModel):
    """A body. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _few_unknown(cls, given: Any) -> Any:
        return refuse_many_unknown(given, cls.model_fields)


class ResponseModel(BaseModel):
    """A body that we send, built from the attributes of what the service gives."""

    # Built when it is first used: a process uses a few, and building is what takes time.
    model_config = ConfigDict(from_attributes=True, defer_build=True)


def without_defaults(schema: dict[str, Any]) -> None:
    """In the description of a body that says parts, what is left out stays as it is, so no field has a default."""
    for field in schema.get("properties", {}).values():
        field.pop("default", None)


class Page(BaseModel, Generic[Item]):
    """A page of a list, newest first by default."""

    model_config = ConfigDict(defer_build=True)

    items: list[Item]
    next_cursor: str | None = None


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": description}
    for status, description in {
        400: "the request cannot be understood",
        401: "the token is missing or not valid",
        403: "the role may not take this action",
        404: "the object does not exist, or belongs to another tenant",
        405: "the path does not support this method; `Allow` lists the supported ones",
        408: "the body arrived too slowly",
        409: "a conflict with the present state",
        413: "the body is too large",
        415: "a compressed body, or one without a JSON content type",
        422: "a value is not valid",
        429: "too many requests, or a quota is exceeded",
        503: "too many large bodies at once, or the database is away, busy, full or read-only",
    }.items()
}


async def refuse_unknown_parameters(request: Request) -> None:
    """A parameter that a route does not know is a mistake, most likely a misspelt filter."""
    if not request.query_params:
        return
    known = _parameters(request.scope["route"])
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        hint = f"unknown parameter; known: {', '.join(sorted(known)) or 'none'}"
        raise RequestValidationError([{"loc": ("query", name), "msg": hint} for name in unknown[:FEW]])


_known: dict[str, frozenset[str]] = {}


def _parameters(route: Any) -> frozenset[str]:
    """By the name of the route, for routes cannot be keys; no two share one."""
    if route.name not in _known:
        _known[route.name] = frozenset(_names(route.dependant))
    return _known[route.name]


def _names(dependant: Any) -> Iterator[str]:
    """A model of parameters has theirs."""
    for field in dependant.query_params:
        kind = field.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from kind.model_fields
        else:
            yield field.alias
    for inner in dependant.dependencies:
        yield from _names(inner)


STRICT = [Depends(refuse_unknown_parameters)]
