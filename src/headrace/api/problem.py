"""Errors as `application/problem+json`, each with a stable code."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from headrace.errors import HeadraceError
from headrace.log import get_logger

log = get_logger("headrace.api")

CODES = {401: "unauthenticated", 404: "not_found", 405: "method_not_allowed", 429: "too_many_requests"}


class FieldProblem(BaseModel):
    """What is wrong with one field."""

    model_config = ConfigDict(defer_build=True)

    field: str = Field(description="where: a path into the body, or a parameter", examples=["payload.path_prefix"])
    message: str


class Problem(BaseModel):
    """Why a request was refused (RFC 9457)."""

    model_config = ConfigDict(defer_build=True)

    type: str = "about:blank"
    title: str
    status: int
    detail: str = Field(description="one sentence for people")
    code: str = Field(description="stable, for programs", examples=["not_found"])
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
    app.add_exception_handler(Exception, _unforeseen)


async def _ours(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HeadraceError)  # noqa: S101 - it is registered for these
    errors = [{"field": error.field, "message": str(error)}] if error.field else []
    # What is asked for wrongly is 422 when it is a field's fault: the request itself was understood.
    status = 422 if error.field and error.status == 400 else error.status
    return problem_response(status, error.code, str(error), errors=errors, headers=error.headers())


async def _invalid(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it is registered for these
    errors = [{"field": _place(found["loc"]), "message": found["msg"]} for found in error.errors()[:20]]
    detail = "; ".join(f"{found['field']}: {found['message']}" for found in errors)
    return problem_response(422, "invalid_request", detail, errors=errors)


async def _plain(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these
    headers = dict(error.headers) if error.headers else None
    return problem_response(
        error.status_code, CODES.get(error.status_code, "bad_request"), str(error.detail), headers=headers
    )


async def _unforeseen(request: Request, error: Exception) -> JSONResponse:
    log.error("request failed", method=request.method, path=request.url.path, exc_info=error)
    return problem_response(500, "internal", "Something went wrong here; the server's log has more.")


def _place(loc: tuple[Any, ...]) -> str:
    kind, *path = loc
    return ".".join(map(str, path)) or str(kind)
