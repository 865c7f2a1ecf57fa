"""`/admin/audit`: who changed what."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors, Cursor
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
    cursor: Cursor = None

    def filter(self) -> AuditFilter:
        """What the service is asked for."""
        return AuditFilter(**self.model_dump(exclude={"limit", "cursor"}))


@router.get("")
async def list_audit(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[AuditQuery, Query()]
) -> Page[AuditAnswer]:
    """List changes, newest first. A short page may have a `next_cursor`, because a page searches a bounded window."""
    before = await cursors.read_number(query.cursor)
    page = await service.audit.list(query.filter(), limit=query.limit, before=before)
    items = [AuditAnswer.model_validate(record) for record in page.items]
    return Page(items=items, next_cursor=await cursors.write(page.next_cursor))
