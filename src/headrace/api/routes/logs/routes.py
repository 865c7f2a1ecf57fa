"""`/logs`: search the lines of all jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors, Cursor
from headrace.api.routes.logs.responses import HitAnswer, Level, line_fields
from headrace.api.schemas import Name, Page, RequestModel, Text
from headrace.model.time.timestamps import Moment

router = new_router(prefix="/logs", tags=["logs"])


class SearchQuery(RequestModel):
    """The query and the filters."""

    query: Text = Field(default="", description='words, "a phrase", prefix*, -excluded; or ~text for a substring')
    definition: Name | None = None
    job_id: UUID | None = None
    level: Level | None = None
    since: Moment | None = None
    until: Moment | None = None
    limit: int = Field(default=50, ge=1, le=1000)
    cursor: Cursor = None


class SearchAnswer(Page[HitAnswer]):
    """Lines that match, newest first. A page may be short: continue with next_cursor until it is null."""

    searched_to: datetime | None = Field(
        description="the time down to which lines were searched; null: all lines were searched"
    )
    complete: bool


@router.get("")
async def search_logs(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[SearchQuery, Query()]
) -> SearchAnswer:
    """Search log lines, newest first."""
    asked = query.model_dump(exclude={"query"}) | {"cursor": await cursors.read(query.cursor)}
    page = await service.logs.search(query.query, **asked)
    return SearchAnswer(
        items=[
            HitAnswer(**line_fields(hit.line), job_id=hit.line.job_id, tenant=hit.tenant, definition=hit.definition)
            for hit in page.hits
        ],
        next_cursor=await cursors.write(page.cursor),
        searched_to=page.searched_to,
        complete=page.complete,
    )
