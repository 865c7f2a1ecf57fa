"""An answer that comes before the whole body has come: the connection ends with it."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headrace.api.body.read import announces_body


class EndUnread:
    """Middleware: answers with `Connection: close` when the server leaves a part of the body unread."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not announces_body(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        unread = True

        async def note() -> Message:
            nonlocal unread
            message = await receive()
            unread = unread and message.get("more_body", False)
            return message

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start" and unread and scope["http_version"].startswith("1"):
                message = {**message, "headers": list(message.get("headers", ()))}
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        await self._app(scope, note, answer)
