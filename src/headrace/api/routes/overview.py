"""`/overview`: what is wrong now, in sentences."""

from __future__ import annotations

from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import ResponseModel
from headrace.service.overview.decide import Kind, Level

router = new_router(prefix="/overview", tags=["overview"])


class FindingAnswer(ResponseModel):
    """One problem."""

    level: Level
    kind: Kind = Field(description="the kind of the object concerned")
    name: str = Field(description="the name of the object concerned")
    title: str
    detail: str


class HealthAnswer(ResponseModel):
    """The state of the system: a headline with its reason, all problems with the worst first, and further facts."""

    well: bool
    title: str = Field(examples=["sync-dropbox is failing"])
    lead: str
    findings: list[FindingAnswer]
    rest: str
    first_run: bool = Field(description="whether there was never a job")
    workers: int = Field(description="that live; for a tenant those that serve its queues")
    slots: int
    busy: int


@router.get("/health")
async def get_health(service: CurrentService) -> HealthAnswer:
    """Show problems in sentences: rising failures, late queues, missing workers, triggers in error."""
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
