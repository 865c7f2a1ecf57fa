"""Random lines and random queries, page by page, against a filter in a few lines of Python."""

from __future__ import annotations

import random
import re
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import pytest
from tests.engine import Engine
from tests.logs.printing import now, put, search_all, tenant

from headrace.db.connect import Connection
from headrace.model.log.line import LogLine

WORDS = ["alpha", "alphabet", "beta", "gamma", "x1", "x12", "Delta", "eps"]
JOINTS = [" ", ".", "/", "-", ": ", ", ", "_", "=", " <", "> ", "&", "+"]
TENANTS = ("default", "acme", "small")
KEYS = ("work", "mail")
WORD = re.compile(r"[a-z0-9]+")


class Stored(NamedTuple):
    """A line and whose it is."""

    line: LogLine
    tenant: str
    definition: str

    @property
    def key(self) -> tuple[datetime, UUID, int, int]:
        return (self.line.at, self.line.job_id, self.line.run, self.line.seq)

    @property
    def words(self) -> list[str]:
        return WORD.findall(self.line.message.lower())


class Term(NamedTuple):
    """A part of a query, as its author means it."""

    words: list[str]
    prefix: bool
    excluded: bool
    quoted: bool

    def __str__(self) -> str:
        text = (" " if self.quoted else ".").join(self.words)
        return f"{'-' * self.excluded}" + (f'"{text}"' if self.quoted else text + "*" * self.prefix)

    def holds(self, words: list[str]) -> bool:
        n = len(self.words)
        there = any(self._begins(words[i : i + n]) for i in range(len(words) - n + 1))
        return there != self.excluded

    def _begins(self, part: list[str]) -> bool:
        *first, last = self.words
        return part[:-1] == first and (part[-1].startswith(last) if self.prefix else part[-1] == last)


def random_line(chance: random.Random, began: datetime, jobs: list[UUID], seq: int, days: int) -> LogLine:
    """Times are few, so that many lines share one, and lie on several days."""
    at = began + timedelta(days=chance.randrange(days), minutes=chance.choice([0, 0, 1, 30, 59, 60, 61, 300]))
    words = chance.choices(WORDS, weights=[30, 3, 20, 5, 5, 1, 5, 1], k=chance.randint(1, 6))
    message = "".join(chance.choice(JOINTS) + word for word in words)
    return LogLine(chance.choice(jobs), chance.randint(1, 2), seq, at, chance.choice([10, 20, 25, 30, 40]), 0, message)


def random_query(chance: random.Random) -> list[Term]:
    terms = []
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        words = [word.lower() for word in chance.choices([*WORDS, "absent"], k=chance.choice([1, 1, 1, 2]))]
        prefix = chance.random() < 0.2
        quoted = not prefix and chance.random() < 0.3
        words[-1] = words[-1][: chance.randint(2, 5)] if prefix else words[-1]
        terms.append(Term(words, prefix, chance.random() < 0.2, quoted))
    return terms


async def fill(conn: Connection, chance: random.Random, n: int, *, days: int, padding: int = 0) -> list[Stored]:
    """Lines of several tenants and definitions, the small tenant having few."""
    began = (await now(conn)).replace(hour=12, minute=0, second=0, microsecond=0)
    jobs: list[UUID] = await conn.fetchval("select headrace._job_ids(5)")
    ids = {name: await tenant(conn, name) for name in TENANTS}
    keys = {row["key"]: row["id"] for row in await conn.fetch("select key, id from headrace.definition")}
    fields = '"' + "".join(chance.choices("0123456789abcdef", k=padding)) + '"' if padding else None
    made = [
        Stored(
            random_line(chance, began, jobs, seq, days)._replace(fields=fields),
            chance.choices(TENANTS, weights=[50, 50, 1])[0],
            chance.choice(KEYS),
        )
        for seq in range(1, n + 1)
    ]
    for name in TENANTS:
        for key in KEYS:
            chosen = [one.line for one in made if (one.tenant, one.definition) == (name, key)]
            await put(conn, chosen, tenant_id=ids[name], definition_id=keys[key])
    return sorted(made, key=lambda one: one.key, reverse=True)


async def compare(conn: Connection, chance: random.Random, made: list[Stored], queries: int) -> int:
    """Each query's pages must be exactly what the filter gives, in order; gives back how many hits there were."""
    total = 0
    for _ in range(queries):
        terms = random_query(chance)
        filters = {
            "tenant": chance.choice([None, None, *TENANTS]),
            "definition": chance.choice([None, None, None, *KEYS]),
            "level": chance.choice([None, None, None, 15, 20, 30, 40]),
            "job_id": chance.choice([None, None, None, None, chance.choice(made).line.job_id]),
            "since": chance.choice([None, None, chance.choice(made).line.at]),
            "until": chance.choice([None, None, chance.choice(made).line.at]),
        }
        wanted = [one for one in made if matches(one, terms, **filters)]  # type: ignore[arg-type]
        query = " ".join(map(str, terms))
        # Few enough pages that the test ends, and pages that end within lines of one time.
        limit = chance.choice([1, 2, 7, 50, 1000]) if len(wanted) < 60 else chance.choice([37, 200, 1000])
        hits = await search_all(conn, query, limit=limit, **filters)
        assert [Stored(*hit) for hit in hits] == wanted, f"{query!r} {filters} in pages of {limit}"
        total += len(wanted)
    return total


def matches(
    one: Stored,
    terms: list[Term],
    *,
    tenant: str | None,
    definition: str | None,
    level: int | None,
    job_id: UUID | None,
    since: datetime | None,
    until: datetime | None,
) -> bool:
    return (
        (tenant is None or one.tenant == tenant)
        and (definition is None or one.definition == definition)
        and (level is None or one.line.level >= level)
        and (job_id is None or one.line.job_id == job_id)
        and (since is None or one.line.at >= since)
        and (until is None or one.line.at < until)
        and all(term.holds(one.words) for term in terms)
    )


@pytest.mark.parametrize("seed", range(3))
async def test_pages_have_every_line_that_matches_once_and_in_order(engine: Engine, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    for key in KEYS:
        await engine.define(key)
    made = await fill(engine.db, chance, 4000, days=4)
    assert await compare(engine.db, chance, made, 60) > 1000


async def test_windows_of_minutes_and_hours_have_them_too(engine: Engine) -> None:
    chance = random.Random(7)  # noqa: S311
    for key in KEYS:
        await engine.define(key)
    # Wide rows: large enough a partition to be searched by windows.
    made = await fill(engine.db, chance, 19_000, days=1, padding=1900)
    assert await engine.db.fetchval("select max(pg_relation_size(inhrelid)) from pg_inherits"
                                    " where inhparent = 'headrace.log'::regclass") > 32e6  # fmt: skip
    assert await compare(engine.db, chance, made, 25) > 1000
    await engine.db.execute("truncate headrace.log")
