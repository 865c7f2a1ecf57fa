"""The ASGI application: routes over the service, and nothing else."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.types import Receive, Scope, Send

import headrace.api.routes.admin as admin
import headrace.api.routes.charts as charts
import headrace.api.routes.definitions as definitions
import headrace.api.routes.events as events
import headrace.api.routes.health as health
import headrace.api.routes.job_changes as job_changes
import headrace.api.routes.job_logs as job_logs
import headrace.api.routes.jobs as jobs
import headrace.api.routes.logs as logs
import headrace.api.routes.metrics as metrics
import headrace.api.routes.stream as stream
import headrace.api.routes.triggers as triggers
import headrace.api.routes.worker as worker
import headrace.api.routes.worker_runs as worker_runs
from headrace.api.background import OperationsRunner
from headrace.api.body import BodyLimits
from headrace.api.problem import handle_problems
from headrace.api.schemas import PROBLEMS, STRICT
from headrace.api.state import STATE, State
from headrace.api.who import Gatekeeper, Identify
from headrace.service.door import House
from headrace.service.health import Health
from headrace.service.metrics import Scrapes
from headrace.service.stream import Hub
from headrace.version import __version__

LARGEST_BODY = 32 * 1024 * 1024
# Static paths come before /jobs/{job_id}.
ROUTERS = (
    triggers.router,
    job_changes.router,
    jobs.router,
    admin.router,
    worker.router,
    worker_runs.router,
    job_logs.router,
    definitions.router,
    events.router,
    logs.router,
    stream.router,
    charts.router,
)
# For probes and Prometheus, which have their own customs.
AT_THE_ROOT = (health.router, metrics.router)


class Application:
    """The routes, with what they stand on here: an application whose database is open while it serves."""

    def __init__(self, house: House, identify: Identify | None = None) -> None:
        self.state = State(
            gatekeeper=Gatekeeper(house, identify),
            operations=OperationsRunner(house),
            health=Health(house),
            scrapes=Scrapes(),
            hub=Hub(house),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.state.operations.start()  # somebody may have died in the middle of a bulk change
        await routes()({**scope, STATE: self.state}, receive, send)

    def openapi(self) -> dict[str, Any]:
        """What there is to ask for."""
        return routes().openapi()


def create_app(house: House, *, identify: Identify | None = None) -> Application:
    """The control plane over HTTP."""
    return Application(house, identify)


@cache
def routes() -> FastAPI:
    """Every route. Once in a process: to build them takes longer than anything they do."""
    app = FastAPI(
        title="Headrace",
        version=__version__,
        summary="A job control plane on PostgreSQL.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,
    )
    handle_problems(app)
    app.add_middleware(BodyLimits, largest=LARGEST_BODY)
    api = APIRouter(prefix="/api/v1", dependencies=STRICT, responses=PROBLEMS)
    for router in ROUTERS:
        api.include_router(router)
    app.include_router(api)
    for router in AT_THE_ROOT:
        app.include_router(router)
    return app
