"""`/admin/audit`: who changed what."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import Page, RequestModel, ResponseModel, Text
from headrace.model.time.timestamps import Moment
from headrace.service.audit.service import AuditFilter

router = new_router(prefix="/admin/audit", tags=["audit"])


class AuditAnswer(ResponseModel):
    """One change."""

    id: int
    at: datetime
    who: str
    role: str
    action: str = Field(examples=["jobs.cancel"])
    tenant: str | None
    target: str | None = Field(description="the changed object: an id or a name")
    detail: dict[str, Any]


class AuditQuery(RequestModel):
    """Filters; all must match."""

    who: Text | None = Field(default=None, max_length=300)
    action: Text | None = Field(default=None, max_length=100)
    target: Text | None = Field(default=None, max_length=500)
    tenant: Text | None = Field(default=None, max_length=100)
    since: Moment | None = None
    until: Moment | None = None
    limit: int = Field(default=50, ge=1, le=500)
    cursor: int | None = Field(default=None, ge=0, le=2**63 - 1, description="`next_cursor` of the previous page")

    def filter(self) -> AuditFilter:
        """What the service is asked for."""
        return AuditFilter(**self.model_dump(exclude={"limit", "cursor"}))


@router.get("")
async def list_audit(service: CurrentService, query: Annotated[AuditQuery, Query()]) -> Page[AuditAnswer]:
    """List changes, newest first. A short page may have a `next_cursor`, because a page searches a bounded window."""
    page = await service.audit.list(query.filter(), limit=query.limit, before=query.cursor)
    cursor = None if page.next_cursor is None else str(page.next_cursor)
    return Page(items=[AuditAnswer.model_validate(record) for record in page.items], next_cursor=cursor)
