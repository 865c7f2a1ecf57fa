"""A route that knows who asks before it reads a byte of the body, and reads no more than it has a use for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from headrace.api.auth import current_service, recognise
from headrace.api.body.memory import STRANGERS
from headrace.api.body.parse import parse
from headrace.api.body.read import SECONDS, STRANGERS_SECONDS, Body, read_body, refuse_other_media
from headrace.api.body.sizes import largest_body
from headrace.api.state import state_of

# What is sent with them is not read.
WITHOUT_BODY = frozenset({"GET", "HEAD"})
Handle = Callable[[Request], Coroutine[Any, Any, Response]]


class Route(APIRoute):
    """FastAPI reads and parses bodies before it asks for dependencies, and so before it asks for a credential."""

    def get_route_handler(self) -> Handle:
        """The handler with the credential and the body before it."""
        handle = super().get_route_handler()
        stranger = not _asks(self.dependant)
        largest = largest_body(self.name, stranger=stranger)
        seconds = STRANGERS_SECONDS if stranger else SECONDS

        async def guarded(request: Request) -> Response:
            caller = STRANGERS
            if not stranger:
                principal = await recognise(request)
                caller = principal.tenant or principal.name
            turn = state_of(request).parsing.of(caller)
            if request.method in WITHOUT_BODY:
                return await handle(RequestWithBody(request, Body(), turn))
            if self.body_field is not None:
                refuse_other_media(request.headers)
            with state_of(request).body_room.holding(caller) as holding:
                body = await read_body(
                    request.receive, request.headers, largest=largest, holding=holding, seconds=seconds
                )
                return await handle(RequestWithBody(request, body, turn))

        return guarded


class RequestWithBody(Request):
    """One whose body is complete. What is received from here on is that the client went."""

    def __init__(self, request: Request, body: Body, turn: asyncio.Semaphore) -> None:
        super().__init__(request.scope, request.receive)
        self._complete, self._turn = body, turn

    async def body(self) -> bytes:
        """As it was sent."""
        return self._complete.content

    async def json(self) -> Any:
        """Its value."""
        return await parse(self._complete, self._turn)


def _asks(dependant: Dependant) -> bool:
    """Whether the route is for those with a credential."""
    return any(inner.call is current_service or _asks(inner) for inner in dependant.dependencies)


def new_router(**options: Any) -> APIRouter:
    """A router for such routes."""
    return APIRouter(route_class=Route, **options)
