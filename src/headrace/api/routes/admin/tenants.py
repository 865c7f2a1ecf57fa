"""`/admin/tenants`: make, look, change, pause, resume."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Path, Query
from pydantic import Field, StringConstraints

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors, Cursor, cut
from headrace.api.routes.admin.pausing import PauseAnswer, PauseRequest
from headrace.api.schemas import Page, RequestModel, ResponseModel, Text
from headrace.model.settings.setting import QUEUE
from headrace.service.tenants.service import Tenant, TenantLimits

router = new_router(prefix="/admin/tenants", tags=["tenants"])

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99}$")]
NameInPath = Annotated[str, Path(max_length=100, pattern=r"^[^\x00]*$")]
QueueName = Annotated[str, StringConstraints(pattern=QUEUE)]
Count = Annotated[int, Field(ge=1, le=2_147_483_647)]
Weight = Annotated[
    int,
    Field(
        ge=1,
        le=1000,
        description="the share in fair queues: a tenant with 3 gets three jobs for each one of a tenant with 1",
    ),
]


class TenantLimitsRequest(RequestModel):
    """Limits of a tenant; a number that is null is no limit."""

    max_queued: Count | None = Field(default=None, description="the most live jobs")
    max_payload_bytes: int | None = Field(
        default=None, ge=2, le=1_048_576, description="largest size of a job's payload"
    )
    requests_per_minute: Count | None = Field(
        default=None, description="the most requests a minute of all the tenant's tokens, in each API process"
    )
    max_running: int | None = Field(
        default=None, ge=1, le=1_000_000, description="the most running jobs, over all workers"
    )
    queues: list[QueueName] = Field(
        fail_fast=True,
        default=[],
        max_length=100,
        description="the queues that the tenant may choose for its jobs, beside the own queue of each definition",
        examples=[["mail"]],
    )
    most_urgent_priority: int | None = Field(
        default=None,
        ge=0,
        le=1000,
        description="the most urgent priority that the tenant may choose (a lower number is more urgent); "
        "null: the definition's own",
    )


class NewTenant(RequestModel):
    """A tenant to create."""

    name: Name = Field(description="the tenant's permanent name in requests", examples=["acme"])
    title: Text = Field(default="", max_length=200, description="the name on screens", examples=["Acme Corporation"])
    limits: TenantLimitsRequest = TenantLimitsRequest()
    weight: Weight = 1


class TenantChange(RequestModel):
    """Settings to change; others stay."""

    title: Text | None = Field(default=None, max_length=200)
    limits: TenantLimitsRequest | None = Field(default=None, description="limits to change; null removes a limit")
    weight: Weight | None = None


class LimitsAnswer(ResponseModel):
    """Limits of a tenant; a number that is null is no limit."""

    max_queued: int | None
    max_payload_bytes: int | None
    requests_per_minute: int | None
    max_running: int | None
    queues: list[str] = Field(description="the queues that the tenant may choose, beside each definition's own")
    most_urgent_priority: int | None = Field(
        description="the most urgent priority that the tenant may choose; null: the definition's own"
    )


class TenantAnswer(ResponseModel):
    """A tenant."""

    name: str
    title: str
    limits: LimitsAnswer
    weight: int = Field(description="the tenant's share in fair queues")
    paused: bool
    pause: PauseAnswer | None
    created_at: datetime


class TenantQuery(RequestModel):
    """A page of tenants."""

    limit: int = Field(default=50, ge=1, le=500)
    cursor: Cursor = None


def _answer(tenant: Tenant) -> TenantAnswer:
    return TenantAnswer.model_validate({**tenant._asdict(), "paused": tenant.pause is not None}, from_attributes=True)


@router.get("")
async def list_tenants(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[TenantQuery, Query()]
) -> Page[TenantAnswer]:
    """List tenants by name."""
    tenants = await service.tenants.list(limit=query.limit + 1, after=await cursors.read(query.cursor))
    items, cursor = cut(tenants, query.limit, lambda tenant: tenant.name)
    return Page(items=[_answer(tenant) for tenant in items], next_cursor=await cursors.write(cursor))


@router.post("", status_code=201)
async def create_tenant(service: CurrentService, new: NewTenant) -> TenantAnswer:
    """Create a tenant."""
    limits = TenantLimits(**new.limits.model_dump())
    return _answer(await service.tenants.create(new.name, new.title, limits, new.weight))


@router.get("/{name}")
async def get_tenant(service: CurrentService, name: NameInPath) -> TenantAnswer:
    """Show one tenant."""
    return _answer(await service.tenants.get(name))


@router.patch("/{name}")
async def change_tenant(service: CurrentService, name: NameInPath, change: TenantChange) -> TenantAnswer:
    """Change a tenant's title, limits or weight."""
    limits = None if change.limits is None else change.limits.model_dump(exclude_unset=True)
    return _answer(await service.tenants.change(name, title=change.title, limits=limits, weight=change.weight))


@router.post("/{name}/pause")
async def pause_tenant(service: CurrentService, name: NameInPath, pause: PauseRequest | None = None) -> TenantAnswer:
    """Stop claims of the tenant's jobs; running jobs continue, and enqueues are accepted."""
    pause = pause or PauseRequest()
    return _answer(await service.tenants.pause(name, note=pause.note, resume_at=pause.end()))


@router.post("/{name}/resume")
async def resume_tenant(service: CurrentService, name: NameInPath) -> TenantAnswer:
    """Resume claims of the tenant's jobs."""
    return _answer(await service.tenants.resume(name))
