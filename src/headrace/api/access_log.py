"""A line for each request, its id, and the trace that its caller is in."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headrace.log import get_logger
from headrace.service.principal import Principal
from headrace.tracing import carried

log = get_logger("headrace.api")
REQUEST_ID = b"x-request-id"
TRACE = (b"traceparent", b"tracestate")
PRINCIPAL = "headrace.principal"
# Of a server that wants to know which of its connections are a stranger's.
CALLER = "headrace.caller"
_SANE = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._:/+=-]{0,127}")
# Asked every second or more often, by programs: told only to those who want to know everything.
QUIET = ("/healthz", "/readyz", "/metrics", "/api/v1/worker/")


@dataclass
class Caller:
    """At the other end of a connection."""

    recognised: bool = False


def recognised(scope: Scope, principal: Principal) -> None:
    """Who asks is known."""
    scope[PRINCIPAL] = principal
    if CALLER in scope:
        scope[CALLER].recognised = True


class AccessLog:
    """Middleware around everything, so that refusals and failures are told too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from structlog.contextvars import (
            bound_contextvars,  # takes long to load, and a call without a server needs none
        )

        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        request_id = _request_id(headers.get(REQUEST_ID, b""))
        began, status = time.perf_counter(), 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], (REQUEST_ID, request_id.encode())]}
            await send(message)

        token = carried.inherited.set(_trace(scope["headers"]))
        try:
            with bound_contextvars(request_id=request_id):
                try:
                    await self._app(scope, receive, answer)
                finally:
                    _tell(scope, status, time.perf_counter() - began)
        finally:
            carried.inherited.reset(token)


def _tell(scope: Scope, status: int, seconds: float) -> None:
    # A route by its operationId; the path is without its query, where people put what nobody should read.
    route = getattr(scope.get("endpoint"), "__name__", None)
    fields: dict[str, Any] = {"method": scope["method"], "path": scope["path"][:200], "route": route, "status": status}
    fields["duration_ms"] = round(seconds * 1000, 1)
    principal: Principal | None = scope.get(PRINCIPAL)
    if principal is not None:
        fields |= {"principal": principal.name, "role": principal.role, "tenant": principal.tenant}
    if "job_id" in scope.get("path_params", ()):
        fields["job_id"] = str(scope["path_params"]["job_id"])
    if status >= 500:
        log.error("request handled", **fields)
    elif scope["path"].startswith(QUIET) and status < 400:
        log.debug("request handled", **fields)
    else:
        log.info("request handled", **fields)


def _request_id(sent: bytes) -> str:
    """The caller's, if it is one that can stand in a log; else a new one."""
    return sent.decode("ascii") if _SANE.fullmatch(sent) else uuid4().hex


def _trace(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """One parent, or none; its state may come in several headers, which are one list (W3C Trace Context)."""
    pairs = [(name, value.decode("latin-1").strip()) for name, value in headers if name in TRACE]
    parents = [value for name, value in pairs if name == b"traceparent"]
    if len(parents) != 1:
        return None
    return carried.checked(parents[0], ",".join(value for name, value in pairs if name == b"tracestate" and value))
