"""`/healthz` and `/readyz`, for who starts and balances processes. No token, and nothing for strangers."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import JSONResponse

from headrace.api.body.route import new_router
from headrace.api.problems import Problem, problem_response
from headrace.api.schemas import ResponseModel
from headrace.api.state import state_of
from headrace.service.health.service import Health

router = new_router(tags=["health"])


class Alive(ResponseModel):
    """The process is alive."""

    status: str = "ok"


class Ready(ResponseModel):
    """Whether the process can work."""

    status: str = "ready"
    workers: int
    notifications: bool


@router.get("/healthz")
async def healthz() -> Alive:
    """Respond with 200 while the process is alive, whatever else is wrong."""
    return Alive()


@router.get("/readyz", response_model=Ready, responses={503: {"model": Problem, "description": "not ready"}})
async def readyz(request: Request) -> Ready | JSONResponse:
    """Respond with 200 when the database responds, is migrated, and new jobs are noticed; else 503 with the problem."""
    health: Health = state_of(request).health
    readiness = await health.check()
    if readiness.problems:
        return problem_response(503, "not_ready", "; ".join(readiness.problems), headers={"Retry-After": "2"})
    return Ready(workers=readiness.workers, notifications=readiness.notifications)
