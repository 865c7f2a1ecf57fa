"""Search: the newest lines that match, found in a bounded time, and how far back they were looked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Self
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import BadRequest
from headrace.model.log.line import LogLine
from headrace.model.payload.stored_json import read_json

SQL = statements(__file__)


class Hit(NamedTuple):
    """A line that matches, and whose it is."""

    line: LogLine
    tenant: str
    definition: str


class SearchPage(NamedTuple):
    """The newest hits first. All of the time down to `searched_to` was searched, None being all there is.

    A page may be short: then `complete` is false, and a search with this `cursor` goes on where this one stopped.
    """

    hits: list[Hit]
    searched_to: datetime | None
    complete: bool
    cursor: str | None


class Cursor(NamedTuple):
    """Everything newer than this has been searched."""

    at: datetime
    job_id: UUID
    run: int
    seq: int

    def __str__(self) -> str:
        return f"{self.at.isoformat()}/{self.job_id}/{self.run}/{self.seq}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """The cursor that was written so, or `BadRequest`."""
        try:
            at, job_id, run, seq = text.split("/")
            cursor = cls(datetime.fromisoformat(at), UUID(job_id), int(run), int(seq))
            cursor.at.astimezone(UTC)  # which the edges of the calendar may not survive
        except (ValueError, OverflowError):
            raise BadRequest("the cursor is not one that a search has given", field="cursor") from None
        if cursor.at.tzinfo is None or not 0 <= min(cursor.run, cursor.seq) <= max(cursor.run, cursor.seq) < 2**31:
            raise BadRequest("the cursor is not one that a search has given", field="cursor")
        return cursor


async def search(
    conn: Connection,
    query: str = "",
    *,
    tenant: str | None = None,
    definition: str | None = None,
    job_id: UUID | None = None,
    level: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 50,
    cursor: str | None = None,
    own: bool = False,
    patience: timedelta | None = None,
) -> SearchPage:
    """Lines with all the words, newest first, from `since` to before `until`.

    `own` is how a transaction that is confined to a tenant searches: that tenant's lines, whatever it asks for.
    `patience`, for the rest of the caller's transaction, is how long it may take; a fifth of a second if not said.
    Words, "a phrase", prefix* and -excluded; or `~any text` for a substring of recent lines. An empty query lists.
    """
    begin = (None, None, None, None) if cursor is None else Cursor.parse(cursor)
    try:
        query.encode()
    except UnicodeEncodeError:
        raise BadRequest("the query is not valid Unicode", field="query") from None
    asked = (definition, job_id, level, since, until, limit, *begin)
    with translated_errors():
        if patience is not None:
            await conn.execute(SQL["set_patience"], str(patience.total_seconds()))
        if own:
            row = await conn.fetchrow(SQL["search_own_log"], query, *asked)
        else:
            row = await conn.fetchrow(SQL["search_log"], query, tenant, *asked)
    if row is None:
        raise AssertionError("a function with one result gives one row")
    hits, complete, *position = row
    return SearchPage(
        [_hit(hit) for hit in read_json(hits)],
        since if complete else position[0],
        complete,
        None if complete else str(Cursor(*position)),
    )


def _hit(found: dict[str, Any]) -> Hit:
    line = LogLine(
        UUID(found["job_id"]),
        found["run"],
        found["seq"],
        datetime.fromisoformat(found["at"]),
        found["level"],
        found["stream"],
        found["message"],
        found["fields"],
    )
    return Hit(line, found["tenant"], found["definition"])
