"""Search: the newest lines that match, found in a bounded time, and how far back they were looked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Self, TypedDict, Unpack
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
            raise BadRequest("the cursor does not come from a search", field="cursor") from None
        if cursor.at.tzinfo is None or not 0 <= min(cursor.run, cursor.seq) <= max(cursor.run, cursor.seq) < 2**31:
            raise BadRequest("the cursor does not come from a search", field="cursor")
        return cursor


class SearchOptions(TypedDict, total=False):
    """Which lines are meant, how many of them (50 by default), and where to go on."""

    definition: str | None
    job_id: UUID | None
    level: int | None
    since: datetime | None
    until: datetime | None
    limit: int
    cursor: str | None


async def search(
    conn: Connection,
    query: str = "",
    *,
    tenant: str | None = None,
    own: bool = False,
    patience: timedelta | None = None,
    **options: Unpack[SearchOptions],
) -> SearchPage:
    """Lines with all the words, newest first, from `since` to before `until`.

    `own` is how a transaction that is confined to a tenant searches: that tenant's lines, whatever it asks for.
    `patience`, for the rest of the caller's transaction, is how long it may take; a fifth of a second if not said.
    Words, "a phrase", prefix* and -excluded; or `~any text` for a substring of recent lines. An empty query lists.
    """
    cursor, since = options.get("cursor"), options.get("since")
    begin = (None, None, None, None) if cursor is None else Cursor.parse(cursor)
    try:
        query.encode()
    except UnicodeEncodeError:
        raise BadRequest("the query is not valid Unicode", field="query") from None
    which = (options.get("definition"), options.get("job_id"), options.get("level"), since, options.get("until"))
    asked = (*which, options.get("limit", 50), *begin)
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
