"""Whatever there is: what must stay stays, what must go goes, and a preview says so before."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.retention.history import DAY, Past

from headrace.model.retention import Keep
from headrace.retention.prune import PruneLimits, preview_prune, prune_jobs

KEEP = Keep(jobs=30 * DAY, dead_letters=60 * DAY)
# Away from noon, when the rules of these tests change sides.
HALF = timedelta(hours=12)


@dataclass(frozen=True)
class Rules:
    """A definition's own."""

    days: int | None
    count: int | None


class Made(NamedTuple):
    """A job to be: whose, how old in days, how it ended, and how many days after it was made."""

    definition: str
    age: int
    final: str | None
    lasted: int


RULES = st.builds(
    Rules,
    st.none() | st.sampled_from([0, 5, 40, 100]),
    st.none() | st.integers(min_value=1, max_value=4),
)
FINALS = st.sampled_from(["succeeded", "succeeded", "failed", "canceled", "dead_letter", None])
JOBS = st.lists(
    st.builds(Made, st.sampled_from(["a", "b", "c"]), st.integers(0, 100), FINALS, st.integers(0, 40)), max_size=25
)


def stays(made: Made, rules: Rules) -> bool:
    """Without the last ones: whether its time has not run out."""
    if made.final is None:
        return True
    days = 30 if rules.days is None else rules.days
    if made.final == "dead_letter":
        days = max(days, 60)
    return ended_days_ago(made) < days


def ended_days_ago(made: Made) -> float:
    return max(made.age - made.lasted, 0) + 0.5


def kept(jobs: dict[UUID, Made], rules: dict[str, Rules]) -> set[UUID]:
    """What must stay: in its time, or among the last that ended."""
    result = {job_id for job_id, made in jobs.items() if stays(made, rules[made.definition])}
    for definition, own in rules.items():
        ended = sorted(
            (job_id for job_id, made in jobs.items() if made.definition == definition and made.final is not None),
            reverse=True,
        )
        result.update(ended[: own.count or 0])
    return result


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JOBS, st.fixed_dictionaries(dict.fromkeys("abc", RULES)), st.integers(1, 3))
async def test_what_must_stay_stays_and_the_rest_goes(
    past: Past, made: list[Made], rules: dict[str, Rules], batch: int
) -> None:
    await start_anew(past)
    for key, own in rules.items():
        await past.define(key, days=own.days, count=own.count)
    jobs = {await make(past, one, n): one for n, one in enumerate(made)}
    staying = kept(jobs, rules)
    weeks = await past.bounds()

    said = await preview_prune(past.db, KEEP)
    assert await past.jobs() == jobs.keys()
    done = await prune_jobs(past.db, KEEP, PruneLimits(batch=batch, rest=0))

    assert await past.jobs() == staying
    assert await past.leftovers() == []
    assert (said.jobs, [whole.week for whole in said.weeks]) == (done.jobs, [whole.week for whole in done.weeks])
    assert +done.jobs == Counter(one.definition for job_id, one in jobs.items() if job_id not in staying)
    assert set(weeks) - set(await past.bounds()) == {whole.week.lower_bound for whole in done.weeks}
    # A second one finds nothing more.
    again = await prune_jobs(past.db, KEEP, PruneLimits(rest=0))
    assert (+again.jobs, again.weeks) == (Counter(), [])


async def make(past: Past, one: Made, n: int) -> UUID:
    ended = timedelta(days=ended_days_ago(one))
    return await past.job(
        one.definition,
        age=one.age * DAY + HALF,
        final=one.final,
        ended=ended,
        runs=1 + n % 2,
        idempotency_key=f"key {n}" if n % 3 == 0 else None,
    )


async def start_anew(past: Past) -> None:
    """No jobs, and all the weeks that there were at first."""
    for table in ("queue", "attempt", "job", "idempotency"):
        await past.db.execute(f"delete from headrace.{table}")
    await past.weeks(15)
