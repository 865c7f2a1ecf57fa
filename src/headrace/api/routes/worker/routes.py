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
    FinishAnswer,
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
    """A heartbeat of a worker."""

    worker_id: WorkerId
    running: int | None = Field(
        default=None, ge=0, le=1_000_000, description="running jobs; counted by the server when absent"
    )
    memory_bytes: int | None = Field(default=None, ge=0, le=2**62, description="memory of the worker's process")
    progress: list[Progress] = Field(fail_fast=True, default=[], max_length=10_000)
    tell_held: bool = Field(default=True, description="whether the response lists the jobs that the worker owns")
    stood_still_seconds: float | None = Field(
        default=None,
        gt=0,
        le=1_000_000,
        description="how long the worker's process could not run, if that ended just now",
    )


class Leaving(RequestModel):
    """The worker that leaves."""

    worker_id: WorkerId


class SyncedAnswer(ResponseModel):
    """The result of a sync of declarations."""

    added: list[str]
    changed: list[str]
    deleted_from_code: list[str]
    kept: list[str] = Field(
        description="definitions missing in this code that stay: other workers serve them, or the app has no name"
    )
    triggers_taken: list[str] = Field(
        description="declared triggers that are ignored, because triggers made by hand have their names"
    )
    definitions_elsewhere: list[str] = Field(
        description="definitions of queues that the token does not serve; unchanged"
    )
    triggers_elsewhere: list[str] = Field(
        description="triggers with jobs in queues that the token does not serve; unchanged"
    )


class RegistrationAnswer(ResponseModel):
    """A worker's id, which works only with the token that registered it."""

    worker_id: int
    queues: list[str] = Field(description="the queues that the worker serves")
    server_time: datetime
    lease_seconds: float = Field(
        description="the lease: a worker that is silent for longer is lost, and its jobs move to others"
    )
    synced: SyncedAnswer


class BeatAnswer(ResponseModel):
    """The response to a heartbeat."""

    server_time: datetime
    cancel: list[JobRef] = Field(description="jobs that should stop")
    held: list[JobRef] = Field(description="all jobs that the worker owns")
    drain: bool = Field(description="whether the worker should claim no more, finish its jobs and stop")


@router.post("/register")
async def register_worker(service: CurrentService, request: RegistrationRequest) -> RegistrationAnswer:
    """Register a worker, or change its definitions; declarations of its code are synced."""
    registration = request.read(service.runtime.settings.jobs.default_attempts)
    return RegistrationAnswer.model_validate(await service.work.register(registration))


@router.post("/heartbeat")
async def beat_worker(service: CurrentService, beat: Beat) -> BeatAnswer:
    """Renew the worker's lease, and so that of all its jobs; 409 `lease_lost` when the worker is lost."""
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
    """Leave: jobs that the worker still owns are released, without using up an attempt."""
    await service.work.stop(leaving.worker_id)


@router.post("/jobs/claim", responses={200: {"model": ClaimAnswer}}, response_class=Response)
async def claim_jobs(service: CurrentService, wanted: Claim, request: Request) -> Response:
    """Claim jobs; wait for some for up to `wait_seconds`."""
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
async def finish_jobs(service: CurrentService, finish: Finish) -> FinishAnswer:
    """Write the outcomes of many attempts, all or none; the response lists claims that the worker no longer owns.

    Too large a detail, or a result of an attempt that did not succeed, is left out, and the response says so.
    """
    refused = await service.work.finish(finish.worker_id, [ended.transition() for ended in finish.ended])
    return FinishAnswer(refused=RefusedAnswer.of(refused).refused, left_out=finish.left_out())


@router.post("/logs")
async def write_logs(service: CurrentService, lines: Lines) -> RefusedAnswer:
    """Store numbered log lines of many jobs, repeated ones once; the response lists claims of other workers."""
    refused = await service.work.write_logs(lines.worker_id, [line.read() for line in lines.lines])
    return RefusedAnswer.of(refused)
