"""A database of any kept release is migrated with data in it and workers on it. No job is lost or fails."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from scripts.keep_schema import keep_schema
from scripts.write_schema import schema_text
from tests.chaos.world.processes import Workers, until_live, workers_on
from tests.servers import TestServer
from tests.upgrade.versions import INSERTIONS, PRESENT, Version, next_version, read_version, releases
from tests.waiting import until

from headrace.db.connect import Connection, Endpoint
from headrace.db.migrate import migrate

BASES = {**releases(), "present": PRESENT}
CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
TABLES = """
select relname::text from pg_class
 where relnamespace = 'headrace'::regnamespace and relkind in ('r', 'p') and not relispartition
   and relname not in ('migration', 'function_file')
 order by 1
"""
DEFINITIONS = ("work", "limited", "second_time")


@pytest.fixture
async def endpoint(every_server: TestServer) -> AsyncIterator[Endpoint]:
    async with every_server.database(template="template1") as url:
        yield Endpoint(url)


@asynccontextmanager
async def connected(endpoint: Endpoint) -> AsyncIterator[Connection]:
    conn = await endpoint.connect("test")
    try:
        yield conn
    finally:
        await conn.close()


async def fill(conn: Connection) -> None:
    """Jobs of each sort that wait, as SQL alone makes them: it is what stays the same from version to version."""
    for key in DEFINITIONS:
        await conn.execute(
            "insert into headrace.definition (key, kind, app, hash) values ($1, 'python', 'tests.upgrade.app', '-')",
            key,
        )
    await conn.execute("update headrace.definition set max_concurrency = 2 where key = 'limited'")
    await conn.execute("insert into headrace.tenant (name) values ('acme')")
    for job in (
        "'work', '{\"n\": 1}'",
        "'work', tenant => 'acme', priority => 1, correlation_id => 'c'",
        "'work', scheduled_for => now() + interval '2 seconds'",
        "'work', scheduled_for => now() + interval '1 day'",
        "'work', dedupe_key => 'd', idempotency_key => 'i'",
        "'second_time'",
        "'limited', tenant => 'acme'",
    ):
        await conn.execute(f"select headrace.enqueue({job})")
    await conn.execute("select headrace.enqueue_many('limited', array_fill('{}'::jsonb, array[20]))")
    await conn.execute("select headrace.cancel(headrace.enqueue('work'))")
    await conn.execute("select headrace.schedule('nightly', 'work', '0 3 * * *')")
    await conn.execute("select headrace.emit('order.paid', '{\"n\": 1}')")


async def produce(endpoint: Endpoint, ended: asyncio.Event) -> None:
    """Jobs and events, without a pause but for a breath."""
    async with connected(endpoint) as conn:
        n = 0
        while not ended.is_set():
            n += 1
            await conn.execute("select headrace.enqueue('work', $1)", json.dumps({"n": n}))
            await conn.execute(
                "select headrace.enqueue_many($1, array_fill('{}'::jsonb, array[3]))", DEFINITIONS[n % 3]
            )
            await conn.execute("select headrace.emit('order.paid')")
            await asyncio.sleep(0)
            await until("the queue is short", lambda: is_short(conn))


async def is_short(conn: Connection) -> bool:
    return bool(await conn.fetchval("select count(*) < 50 from headrace.queue where status <> 'scheduled'"))


async def until_more_have_ended(conn: Connection) -> None:
    """Another hundred."""
    query = "select count(*) from headrace.attempt where final is not null"
    target = await conn.fetchval(query) + 100

    async def have_ended() -> bool:
        return bool(await conn.fetchval(query) >= target)

    await until("another hundred jobs have ended", have_ended)


@pytest.fixture
def old_and_new(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Workers, Workers]]:
    monkeypatch.setenv("UPGRADE_RUNS", str(tmp_path / "runs"))
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
    with (
        workers_on(endpoint.url, tmp_path / "old", "tests.upgrade.app:hr") as old,
        workers_on(endpoint.url, tmp_path / "new", "tests.upgrade.next_app:hr") as new,
    ):
        yield old, new


@pytest.mark.parametrize("base", BASES)
async def test_workers_go_on_while_their_database_is_migrated(
    endpoint: Endpoint,
    every_server: TestServer,
    old_and_new: tuple[Workers, Workers],
    base: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await migrate(endpoint, *BASES[base])
    async with connected(endpoint) as conn:
        await fill(conn)
        await migrate(endpoint)
        tables = [row[0] for row in await conn.fetch(TABLES)]
        coming = next_version(tables)
        monkeypatch.setenv("UPGRADE_TABLES", json.dumps(tables))
        old, new = old_and_new
        leaving = [old.start() for _ in range(2)]
        await until_live(conn, 2)
        ended = asyncio.Event()
        producing = asyncio.create_task(produce(endpoint, ended))
        await until_more_have_ended(conn)

        done = await migrate(endpoint, *coming)

        assert (len(done.steps), sorted(done.replaced)) == (len(tables), sorted(["more", *INSERTIONS]))
        await until_more_have_ended(conn)
        coming_in = [new.start() for _ in range(2)]
        await until_live(conn, 4)
        for worker in leaving:
            worker.send_signal(signal.SIGTERM)
        await until_live(conn, 2)
        await until_more_have_ended(conn)
        ended.set()
        await producing
        await conn.execute("update headrace.trigger set enabled = false")
        await until("all is done", lambda: is_done(conn))

        assert [worker.wait(30) for worker in leaving] == [0, 0]
        assert [worker.poll() for worker in coming_in] == [None, None]
        await check_jobs(conn, tmp_path / "runs")
        for worker, said in [*((one, old) for one in leaving), *((one, new) for one in coming_in)]:
            assert troubles(said.said(worker)) == []
        assert await schema_text(conn) == await text_of(every_server, coming)


async def is_done(conn: Connection) -> bool:
    waits = "select exists (select from headrace.queue where run_at is null or run_at < now() + interval '1 hour')"
    inbox = "select exists (select from headrace.event_inbox)"
    return not await conn.fetchval(waits) and not await conn.fetchval(inbox)


async def check_jobs(conn: Connection, runs: Path) -> None:
    """Each job succeeded, and ran to its end once; but the one that was canceled and the one that is due tomorrow.

    A worker that leaves releases what it has not begun.
    """
    rows = await conn.fetch("select id, definition, status, more from headrace.jobs")
    assert Counter(row["status"] for row in rows if row["status"] != "succeeded") == {"canceled": 1, "scheduled": 1}
    succeeded = [row for row in rows if row["status"] == "succeeded"]
    assert Counter(runs.read_text().split()) == Counter(str(row["id"]) for row in succeeded)
    assert {row["definition"] for row in rows} == {*DEFINITIONS, "tick", "paid"}
    assert {row["more"] for row in rows} == {None, "next"}
    outcomes = await conn.fetch(
        "select definition, outcome::text from headrace.attempt join headrace.jobs on id = job_id"
        " where outcome not in ('succeeded', 'canceled', 'released') group by 1, 2"
    )
    assert [tuple(row) for row in outcomes] == [("second_time", "failed")]


def troubles(said: str) -> list[str]:
    """Warnings and errors, but for the job that fails once by itself."""
    lines = [line for line in said.splitlines() if "RuntimeError: not yet" not in line]
    return [line for line in lines if re.search(r'"level": "(warning|error|critical)"|Traceback', line)]


async def text_of(server: TestServer, version: Version) -> str:
    """The schema of a database that was made with that version."""
    async with server.database(template="template1") as url:
        await migrate(Endpoint(url), *version)
        async with connected(Endpoint(url)) as conn:
            return await schema_text(conn)


def test_the_schema_of_each_release_is_kept() -> None:
    released = re.findall(r"^## (\d+\.\d+\.\d+)", CHANGELOG.read_text("utf-8"), re.MULTILINE)
    assert sorted(released) == sorted(releases()), "run `make keep-schema` at each release"


def test_a_step_that_was_released_is_never_changed() -> None:
    for version in releases().values():
        assert version.steps == PRESENT.steps[: len(version.steps)]


def test_a_release_that_changes_a_function_has_a_step() -> None:
    """Else a process of the release before it, which knows all steps, would put its own function back at its start."""
    for version in releases().values():
        assert version.files == PRESENT.files or len(version.steps) < len(PRESENT.steps), (
            "add a step, if only a comment"
        )


def test_what_is_kept_of_a_release_is_all_that_makes_a_database(tmp_path: Path) -> None:
    keep_schema(tmp_path / "1.2.3")
    assert read_version(tmp_path / "1.2.3") == PRESENT
