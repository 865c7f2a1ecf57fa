"""Lists: pages from several paths add up to what one long look would give."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from headrace.model.job.ids import first_id
from headrace.model.job.status import JobStatus
from headrace.service.jobs.access_path import WINDOW, ScannedIds, candidates, merge
from headrace.service.jobs.filter import JobFilter, plan_paths

ids = st.integers(min_value=1, max_value=60).map(lambda n: UUID(int=n))


def walk(path: list[tuple[UUID, bool]], *, below: UUID | None, window: int, n: int) -> ScannedIds:
    """What a path gives: rows with whether they fit, within a window."""
    looked = [row for row in path if below is None or row[0] < below][:window]
    found = [job_id for job_id, fits in looked if fits][:n]
    if len(found) == n:
        return ScannedIds(found, None)
    return ScannedIds(found, looked[-1][0] if len(looked) == window else None)


@given(
    st.lists(st.dictionaries(ids, st.booleans(), max_size=40), min_size=1, max_size=3),
    st.integers(min_value=1, max_value=10),
    st.integers(min_value=1, max_value=12),
)
def test_pages_give_every_job_that_fits_once_and_in_order(
    tables: list[dict[UUID, bool]], limit: int, window: int
) -> None:
    taken: set[UUID] = set()
    disjoint = []
    for table in tables:  # a job is in one place
        disjoint.append(sorted(((k, v) for k, v in table.items() if k not in taken), reverse=True))
        taken |= table.keys()
    wanted = sorted((job_id for path in disjoint for job_id, fits in path if fits), reverse=True)

    seen: list[UUID] = []
    cursor: UUID | None = None
    for _ in range(200):
        page = merge([walk(path, below=cursor, window=window, n=limit + 1) for path in disjoint], limit=limit)
        seen += page.ids
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == wanted


@given(st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(5000, 1, 1)))
def test_ids_are_in_the_order_of_time(naive: datetime) -> None:
    at = naive.replace(tzinfo=UTC)
    assert first_id(at).int >> 80 == int(at.timestamp() * 1000)


def test_the_place_of_a_value_is_never_its_text() -> None:
    hostile = "'; drop table headrace.job; --"
    everything = JobFilter(
        status=tuple(JobStatus),
        definition=hostile,
        queue=hostile,
        source=hostile,
        worker=hostile,
        q=hostile,
    )
    for wanted in (everything, JobFilter(correlation_id=hostile, source=hostile), JobFilter(definition=hostile)):
        for path in plan_paths(wanted, tenant_id=7, after=UUID(int=5)):
            sql, values = candidates(path, 10)
            assert "drop table" not in sql
            assert sql.count(f"${len(values)}")
            assert f"${len(values) + 1}" not in sql


def test_a_filter_that_an_index_answers_looks_at_no_more_than_the_page() -> None:
    for wanted in (
        JobFilter(include_system=True),
        JobFilter(definition="x"),
        JobFilter(correlation_id="x", include_system=True),
        JobFilter(trigger=UUID(int=1)),  # by two indexes, one after the other
    ):
        for path in plan_paths(wanted, tenant_id=None, after=None):
            assert (path.asked, path.window) == ([], WINDOW)
