"""Requests that call this server by a name that is not its own: a page elsewhere whose name leads here."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from headrace.api.problems import problem_response

ALWAYS = ("localhost", "127.0.0.1", "[::1]")


class AllowedHosts:
    """Middleware: answers only to names that it knows; `*` is any."""

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = {host.lower() for host in (*hosts, *ALWAYS)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and "*" not in self._hosts:
            headers = dict(scope["headers"])
            called = headers.get(b"host", b"").decode("latin-1").lower()
            if _without_port(called) not in self._hosts:
                detail = f"unknown host {called!r}: add the name to server.allowed_hosts"
                await problem_response(421, "unknown_host", detail)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.rpartition(":")[0] or host
