"""`/worker`: a worker without a database login, in whatever language."""

from __future__ import annotations

from datetime import datetime

from fastapi import Request, Response
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.disconnect import until_disconnect
from headrace.api.routes.worker.registration import RegistrationRequest
from headrace.api.routes.worker.schemas import (
    JSON,
    Claim,
    ClaimAnswer,
    Finish,
    JobRef,
    Lines,
    Progress,
    RefusedAnswer,
    WorkerId,
    claim_answer,
)
from headrace.api.schemas import RequestModel, ResponseModel

router = new_router(prefix="/worker", tags=["worker"])


class Beat(RequestModel):
    """A sign of life."""

    worker_id: WorkerId
    running: int | None = Field(default=None, ge=0, le=1_000_000, description="jobs that it runs; counted if not said")
    memory_bytes: int | None = Field(default=None, ge=0, le=2**62, description="of its process")
    progress: list[Progress] = Field(default=[], max_length=10_000)
    tell_held: bool = Field(default=True, description="whether to answer with what the worker holds")
    stood_still_seconds: float | None = Field(
        default=None, gt=0, le=1_000_000, description="how long its process could not run, if that was just now"
    )


class Leaving(RequestModel):
    """Who leaves."""

    worker_id: WorkerId


class SyncedAnswer(ResponseModel):
    """What came of what the code declares."""

    added: list[str]
    changed: list[str]
    deleted_from_code: list[str]
    kept: list[str] = Field(description="not in this code, and not gone: others serve them, or the app has no name")
    triggers_taken: list[str] = Field(description="made by hand under the same name; those in code are not used")
    definitions_elsewhere: list[str] = Field(description="of queues that the token does not serve; left as they are")
    triggers_elsewhere: list[str] = Field(description="whose jobs go to such queues; left as they are")


class RegistrationAnswer(ResponseModel):
    """A worker's id. It is the token's that registered it, and works with no other."""

    worker_id: int
    queues: list[str] = Field(description="those that it serves")
    server_time: datetime
    lease_seconds: float = Field(description="without a word for so long it is lost, and its jobs go to others")
    synced: SyncedAnswer


class BeatAnswer(ResponseModel):
    """What the server wants a worker to know."""

    server_time: datetime
    cancel: list[JobRef] = Field(description="runs that should stop")
    held: list[JobRef] = Field(description="all that the worker holds")
    drain: bool = Field(description="claim no more, finish what runs, and stop")


@router.post("/register")
async def register_worker(service: CurrentService, request: RegistrationRequest) -> RegistrationAnswer:
    """Become a worker, or say what else it runs now; definitions that its code declares are synced."""
    registration = request.read(service.runtime.settings.jobs.default_attempts)
    return RegistrationAnswer.model_validate(await service.work.register(registration))


@router.post("/heartbeat")
async def beat_worker(service: CurrentService, beat: Beat) -> BeatAnswer:
    """Renew the lease of the worker and so of all that it runs; 409 `lease_lost` when it is lost: register anew."""
    heard = await service.work.heartbeat(
        beat.worker_id,
        running=beat.running,
        memory_bytes=beat.memory_bytes,
        progress=[(report.job_id, report.fraction, report.message) for report in beat.progress],
        tell_held=beat.tell_held,
        stood_still=beat.stood_still_seconds,
    )
    return BeatAnswer(
        server_time=heard.server_time,
        cancel=[JobRef(job_id=job_id, run=run) for job_id, run in heard.cancel],
        held=[JobRef(job_id=job_id, run=run) for job_id, run in heard.held],
        drain=heard.drain,
    )


@router.post("/stop", status_code=204)
async def stop_worker(service: CurrentService, leaving: Leaving) -> None:
    """Leave in order: what the worker still holds goes back, unspent."""
    await service.work.stop(leaving.worker_id)


@router.post("/jobs/claim", responses={200: {"model": ClaimAnswer}}, response_class=Response)
async def claim_jobs(service: CurrentService, wanted: Claim, request: Request) -> Response:
    """Take jobs, waiting for some up to `wait_seconds`."""
    claiming = service.work.claim(
        wanted.worker_id,
        limit=wanted.limit,
        suspects=wanted.suspects,
        wait=wanted.wait_seconds,
        knows=wanted.fences(),
    )
    jobs = await until_disconnect(request, claiming) if wanted.wait_seconds else await claiming
    return Response(claim_answer(jobs, as_text=wanted.payloads == "text"), media_type=JSON)


@router.post("/jobs/finish")
async def finish_jobs(service: CurrentService, finish: Finish) -> RefusedAnswer:
    """Write how many runs ended, all or none; answers with those that were not the worker's any more."""
    refused = await service.work.finish(finish.worker_id, [ended.transition() for ended in finish.ended])
    return RefusedAnswer.of(refused)


@router.post("/logs")
async def write_logs(service: CurrentService, lines: Lines) -> RefusedAnswer:
    """Keep numbered lines of many runs, a repeat only once; answers with those that were not the worker's."""
    refused = await service.work.write_logs(lines.worker_id, [line.read() for line in lines.lines])
    return RefusedAnswer.of(refused)
