"""Requests that call this server by a name that is not its own: a page elsewhere whose name leads here."""

from __future__ import annotations

import re
from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from headrace.api.problems import problem_response

# A name or an address, and a port: nothing before, between or behind.
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:]+)(?::[0-9]{0,5})?", re.ASCII)
ALWAYS = ("localhost", "127.0.0.1", "[::1]")


class AllowedHosts:
    """Middleware: answers only to names that it knows; `*` is any."""

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = {host.lower() for host in (*hosts, *ALWAYS)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and "*" not in self._hosts:
            # One that is named twice is refused: who stands before us may have looked at the other name.
            called = ", ".join(value.decode("latin-1").lower() for name, value in scope["headers"] if name == b"host")
            host = HOST.fullmatch(called)
            if host is None or host[1] not in self._hosts:
                detail = f"unknown host {called!r}: add the name to server.allowed_hosts"
                await problem_response(421, "unknown_host", detail)(scope, receive, send)
                return
        await self._app(scope, receive, send)
