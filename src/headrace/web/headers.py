"""What every answer says to a browser, whoever made it."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Of data that somebody opens by itself; pages have their own.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    # Of data, which is somebody's; files have their own.
    "Cache-Control": "no-store",
}
# Where https is spoken: a browser that was here once asks for no plain http again, for a year.
ONLY_HTTPS = {"Strict-Transport-Security": "max-age=31536000"}


class SafeHeaders:
    """Middleware: says these unless the answer itself says otherwise."""

    def __init__(self, app: ASGIApp, *, https: Callable[[], bool]) -> None:
        self._app = app
        self._https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in (ALWAYS | ONLY_HTTPS if self._https() else ALWAYS).items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_safely if scope["type"] == "http" else send)
