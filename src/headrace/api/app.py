"""The ASGI application: routes over the service, and nothing else."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.types import Receive, Scope, Send

from headrace.api.access_log import AccessLog
from headrace.api.auth import Identify
from headrace.api.body.unread import EndUnread
from headrace.api.lazy_routes import AT_THE_ROOT, EVERY, PREFIX, modules_for, router_of
from headrace.api.methods import AnswerHead
from headrace.api.openapi import LICENSE, SERVERS, describe_exactly
from headrace.api.problems import handle_problems
from headrace.api.schemas import PROBLEMS, STRICT
from headrace.api.state import STATE, State
from headrace.service.session import Runtime
from headrace.version import __version__

BULK = f"{PREFIX}/jobs/bulk"


class Application:
    """The routes, with what they stand on here: an application whose database is open while it serves.

    A `lazy` one is asked a few things by the process that made it: it loads the routes that are asked for.
    """

    def __init__(self, runtime: Runtime, identify: Identify | None = None, *, lazy: bool = False) -> None:
        self.state = State(runtime, identify)
        self._lazy = lazy
        if not lazy:
            routes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        parts = modules_for(scope["path"]) if self._lazy else EVERY
        if not self._lazy or scope["path"].startswith(BULK):
            self.state.operations.start()  # somebody may have died in the middle of a bulk operation
        # Whoever asks in its own process has no use for a line about it.
        answer = routes(parts) if self._lazy else AccessLog(routes(parts))
        await answer({**scope, STATE: self.state}, receive, send)

    async def stop(self) -> None:
        """What is done on the side ends."""
        await self.state.stop()

    def openapi(self) -> dict[str, Any]:
        """What there is to ask for."""
        return routes().openapi()


def create_app(runtime: Runtime, *, identify: Identify | None = None, lazy: bool = False) -> Application:
    """The control plane over HTTP."""
    return Application(runtime, identify, lazy=lazy)


@cache
def routes(parts: tuple[str, ...] = EVERY) -> FastAPI:
    """The routes of these parts. Once in a process: to build them takes longer than anything they do."""
    app = FastAPI(
        title="Headrace",
        version=__version__,
        summary="A job control plane on PostgreSQL.",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        license_info=LICENSE,
        servers=SERVERS,
        generate_unique_id_function=lambda route: route.name,
        # FastAPI 0.163 and newer would make spans of every request, with its query. Older ones pass this over.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    handle_problems(app)
    describe_exactly(app)
    app.add_middleware(AnswerHead)
    app.add_middleware(EndUnread)
    # What can go wrong is described where somebody may ask for the description.
    api = APIRouter(prefix=PREFIX, dependencies=STRICT, responses=PROBLEMS if parts == EVERY else None)
    for part in parts:
        if part not in AT_THE_ROOT:
            api.include_router(router_of(part))
    app.include_router(api)
    for part in AT_THE_ROOT:
        if part in parts:
            app.include_router(router_of(part))
    return app
