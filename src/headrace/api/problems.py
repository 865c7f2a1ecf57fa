"""Errors as `application/problem+json`, each with a stable code."""

from __future__ import annotations

from typing import Any

import asyncpg
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from headrace.api.methods import allowed_methods, is_a_name
from headrace.db.trouble import trouble
from headrace.errors import HeadraceError
from headrace.log import get_logger

log = get_logger("headrace.api")

# What a driver raises; what of it is not about the database itself is as unforeseen as anything.
OF_DATABASE = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
CODES = {401: "unauthenticated", 404: "not_found", 405: "method_not_allowed", 429: "too_many_requests"}


class FieldProblem(BaseModel):
    """What is wrong with one field."""

    model_config = ConfigDict(defer_build=True)

    field: str = Field(description="the field: a path into the body, or a parameter", examples=["payload.path_prefix"])
    message: str


class Problem(BaseModel):
    """Why a request was refused (RFC 9457)."""

    model_config = ConfigDict(defer_build=True)

    type: str = "about:blank"
    title: str
    status: int
    detail: str = Field(description="the problem in one sentence, for people")
    code: str = Field(description="a stable code, for programs", examples=["not_found"])
    errors: list[FieldProblem] = []


def problem_response(
    status: int, code: str, detail: str, *, errors: Any = (), headers: dict[str, str] | None = None
) -> JSONResponse:
    """An answer that says what is wrong."""
    title = code.replace("_", " ").capitalize()
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, "code": code}
    if errors:
        body["errors"] = list(errors)
    return JSONResponse(body, status, media_type="application/problem+json", headers=headers)


def handle_problems(app: FastAPI) -> None:
    """Turn every error into a problem."""
    app.add_exception_handler(HeadraceError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _plain)
    for kind in OF_DATABASE:
        app.add_exception_handler(kind, _of_database)
    app.add_exception_handler(Exception, _unforeseen)


async def _ours(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HeadraceError)  # noqa: S101 - it is registered for these
    errors = [{"field": error.field, "message": str(error)}] if error.field else []
    # What is asked for wrongly is 422 when it is a field's fault: the request itself was understood.
    status = 422 if error.field and error.status == 400 else error.status
    return problem_response(status, error.code, str(error), errors=errors, headers=error.headers())


async def _of_database(request: Request, error: Exception) -> JSONResponse:
    unusable = trouble(error)
    if unusable is None:
        raise error
    log.warning("request refused by the database", code=unusable.code, error=f"{type(error).__name__}: {error}")
    return await _ours(request, unusable)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it is registered for these
    if any(found["loc"][0] == "path" for found in error.errors()) and is_a_name(request):
        return _not_allowed(request)
    errors = [{"field": _place(found["loc"]), "message": found["msg"]} for found in error.errors()[:20]]
    detail = "; ".join(f"{found['field']}: {found['message']}" for found in errors)
    return problem_response(422, "invalid_request", detail, errors=errors)


async def _plain(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these
    if error.status_code == 405 and allowed_methods(request):
        return _not_allowed(request)
    headers = dict(error.headers) if error.headers else None
    return problem_response(
        error.status_code, CODES.get(error.status_code, "bad_request"), str(error.detail), headers=headers
    )


def _not_allowed(request: Request) -> JSONResponse:
    allow = ", ".join(allowed_methods(request))
    detail = f"This path does not support {request.method}. Supported: {allow}."
    return problem_response(405, CODES[405], detail, headers={"Allow": allow})


async def _unforeseen(request: Request, error: Exception) -> JSONResponse:
    log.error("request failed", method=request.method, path=request.url.path, exc_info=error)
    # The server closes the connection after this, so the client is told.
    headers = {"Connection": "close"} if request.scope["http_version"].startswith("1") else None
    return problem_response(500, "internal", "Internal error; the server's log has the details.", headers=headers)


def _place(loc: tuple[Any, ...]) -> str:
    kind, *path = loc
    return ".".join(map(str, path)) or str(kind)
