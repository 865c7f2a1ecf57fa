"""`/overview`: what is wrong now, in sentences."""

from __future__ import annotations

from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import ResponseModel
from headrace.service.overview.decide import Kind, Level

router = new_router(prefix="/overview", tags=["overview"])


class FindingAnswer(ResponseModel):
    """One thing that is wrong."""

    level: Level
    kind: Kind = Field(description="what it is about")
    name: str = Field(description="of what it is about")
    title: str
    detail: str


class HealthAnswer(ResponseModel):
    """How things are: a headline and its reason, all that is wrong with the worst first, what else was looked at."""

    well: bool
    title: str = Field(examples=["sync-dropbox is failing"])
    lead: str
    findings: list[FindingAnswer]
    rest: str
    first_run: bool = Field(description="there never was a job")
    workers: int = Field(description="that live")
    slots: int
    busy: int


@router.get("/health")
async def get_health(service: CurrentService) -> HealthAnswer:
    """How things are, for people: rising failures, late queues, missing workers, triggers in error."""
    health, facts = await service.overview.health()
    return HealthAnswer(
        well=not health.findings,
        title=health.title,
        lead=health.lead,
        findings=[FindingAnswer.model_validate(finding) for finding in health.findings],
        rest=health.rest,
        first_run=not facts.ever,
        workers=facts.workers,
        slots=facts.slots,
        busy=facts.busy,
    )
