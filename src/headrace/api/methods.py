"""What a path answers to: HEAD wherever GET does, and which methods there are for one that is not allowed."""

from __future__ import annotations

import asyncio

from fastapi.routing import APIRoute
from starlette._utils import get_route_path
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headrace.api.lazy_routes import AT_THE_ROOT, EVERY, PREFIX, router_of


def allowed_methods(request: Request) -> list[str]:
    """All that the path of a request answers to; none where it is no path of ours."""
    answering = _answering(request)
    # `/jobs/batch` is a name, and about no job called batch: only the routes that know most of the path count.
    fewest = min((words for _, words in answering), default=0)
    allowed = {method for methods, words in answering if words == fewest for method in methods}
    return sorted(allowed | {"HEAD"} if "GET" in allowed else allowed)


def is_a_name(request: Request) -> bool:
    """Whether the path is the whole name of something, for whatever method."""
    return any(words == 0 for _, words in _answering(request))


def _answering(request: Request) -> list[tuple[set[str], int]]:
    """The methods of each route for this path, and how many words it takes from the path."""
    path = get_route_path(request.scope)
    inner = path.removeprefix(PREFIX)
    return [
        (route.methods or set(), len(route.param_convertors))
        for part in EVERY
        for route in router_of(part).routes
        if isinstance(route, APIRoute) and route.path_regex.match(path if part in AT_THE_ROOT else inner)
    ]


class AnswerHead:
    """Middleware: a HEAD is answered as the GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        answered = asyncio.Event()

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                answered.set()

        async def hear() -> Message:
            """As of a client that goes once it has its answer: what would be sent on and on ends."""
            hearing = asyncio.ensure_future(receive())
            waiting = asyncio.ensure_future(answered.wait())
            try:
                await asyncio.wait({hearing, waiting}, return_when=asyncio.FIRST_COMPLETED)
                return {"type": "http.disconnect"} if answered.is_set() else hearing.result()
            finally:
                hearing.cancel()
                waiting.cancel()

        await self._app({**scope, "method": "GET"}, hear, answer)
