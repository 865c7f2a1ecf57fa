"""An access path to jobs: rows within an index's reach, what is asked of each, and one page out of several paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

# Rows that a page looks at when an index alone cannot answer; then it is short and says how far it looked.
WINDOW = 20_000


class Condition(NamedTuple):
    """A condition on a row `c`, with `{}` where its one value belongs; it may stand there more than once."""

    text: str
    value: Any = None


class Statement(NamedTuple):
    """SQL and the values of its places."""

    sql: str
    values: list[Any]


@dataclass(frozen=True, slots=True)
class AccessPath:
    """Candidates, newest first: rows of one table within an index's reach, and what is then asked of each."""

    table: str
    id: str
    columns: str
    within: Sequence[Condition]
    asked: Sequence[Condition]
    window: int = WINDOW
    end: str | None = None


class ScannedIds(NamedTuple):
    """What a path gave: matching ids, and the last id looked at where the window ended before the path did."""

    ids: list[UUID]
    looked_to: UUID | None


class Merged(NamedTuple):
    """A page of ids; `cursor` is where the next begins, `looked_to` where the window ended if that made it short."""

    ids: list[UUID]
    cursor: UUID | None
    looked_to: UUID | None


def candidates(path: AccessPath, n: int, skip: int = 0) -> Statement:
    """Up to n ids that fit, newest first, after so many others; ends as soon as they are found."""
    values: list[Any] = []
    sql = f"""
select c.{path.id} from (
  select {path.columns} from {path.table} as c {_where(path.within, values)}
   order by c.{path.id} desc limit {path.window}) as c
 {_where(path.asked, values)} order by c.{path.id} desc offset {skip} limit {n}"""
    return Statement(sql, values)


def window_end(path: AccessPath) -> Statement:
    """The last id within the window, where the path goes on behind it."""
    if path.end is not None:
        return Statement(path.end, [])
    values: list[Any] = []
    sql = f"""
select c.{path.id} from {path.table} as c {_where(path.within, values)}
 order by c.{path.id} desc offset {path.window - 1} limit 1"""
    return Statement(sql, values)


def _where(conditions: Sequence[Condition], values: list[Any]) -> str:
    texts = []
    for condition in conditions:
        if "{}" in condition.text:
            values.append(condition.value)
        texts.append(condition.text.replace("{}", f"${len(values)}"))
    return f"where {' and '.join(texts)}" if texts else ""


def merge(scans: Iterable[ScannedIds], *, limit: int, offset: int = 0) -> Merged:
    """One page from all paths: nothing below where one of them stopped looking, for there it might have found more."""
    scans = list(scans)
    floor = max((f.looked_to for f in scans if f.looked_to is not None), default=None)
    ids = sorted({job_id for f in scans for job_id in f.ids if floor is None or job_id >= floor}, reverse=True)
    page = ids[offset : offset + limit]
    if len(ids) > offset + limit:
        return Merged(page, page[-1], None)
    return Merged(page, floor, floor)
