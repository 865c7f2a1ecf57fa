"""Lines are kept before the outcome, once each, numbered without a gap, within limits, and by the database's clock."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tests.chaos.world.server import OwnServer, own_server
from tests.contract.lines import Broken, ReplyLost, Slow
from tests.waiting import PATIENCE, until
from tests.worker.running import (
    app_on,
    attempts,
    finished,
    running,
    said,
    speaking,
    status_is,
    until_said,
    worker_id,
    worker_of,
    working,
)

from headrace import Context, Headrace
from headrace.config import LogsSettings
from headrace.db.connect import Connection, Endpoint
from headrace.model.log.line import LogLine
from headrace.model.log.run_log import LogLimits, RunLog
from headrace.worker.run.log_writer import BATCH, LogWriter
from headrace.worker.transport.interface import Fence


async def test_every_run_has_all_its_lines_when_its_outcome_is_seen(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def chatter(name: str, count: int) -> None:
        for number in range(count):
            print(name, number)
            if number % 7 == 0:
                await asyncio.sleep(0)

    async with working(hr, concurrency=20):
        jobs = {await hr.enqueue("chatter", {"name": f"n{n}", "count": n * 13 % 200 + 1}): n for n in range(150)}
        for job_id, n in jobs.items():
            await finished(hr, job_id)
            assert await said(connection, job_id) == [f"n{n} {number}" for number in range(n * 13 % 200 + 1)]


async def test_an_outcome_waits_for_lines_that_are_under_way(hr: Headrace, connection: Connection) -> None:
    ready = asyncio.Event()
    Slow.through = asyncio.Event()

    @hr.job()
    async def chatter() -> None:
        print("under way when the run ends")
        await ready.wait()

    @hr.job()
    async def quiet() -> None:
        pass

    async with hr, running(speaking(worker_of(hr), Slow)) as process:
        line: Any = process._transport
        job_id = await hr.enqueue("chatter")
        await until("the line is under way", lambda: line.under_way == 1)
        ready.set()
        run = next(iter(process.worker._slots.running.values()))
        await until("the handler has ended", lambda: run.ended)
        await finished(hr, await hr.enqueue("quiet"))  # outcomes are written meanwhile
        assert await status_is(connection, job_id, "running")
        Slow.through.set()
        await finished(hr, job_id)
        assert await said(connection, job_id) == ["under way when the run ends"]


class Heard:
    """A transport that keeps what it is told in a list, while others go on to talk."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self.messages: list[str] = []
        self._meanwhile = meanwhile

    async def write_logs(self, lines: Sequence[LogLine]) -> set[Fence]:
        await asyncio.sleep(0)
        self.messages += [line.message for line in lines]
        self._meanwhile()
        return set()


def run_log(writer: LogWriter) -> RunLog:
    limits = LogLimits(lines=10**9, size=10**12)
    return RunLog(uuid4(), 1, clock=lambda: datetime.now(UTC), limits=limits, on_line=writer.noticed)


async def test_a_run_that_ends_does_not_wait_for_others_that_talk_without_end() -> None:
    transport: Any = Heard(lambda: endless.write("and on"))
    writer = LogWriter(transport)
    endless, ending = run_log(writer), run_log(writer)
    endless.write("on")
    for number in range(BATCH * 2 + 1):
        ending.write(str(number))
    ending.close()
    await asyncio.wait_for(writer.settle(ending), PATIENCE)
    said = [message for message in transport.messages if message.isdigit()]
    assert said == [str(number) for number in range(BATCH * 2 + 1)]
    assert transport.messages.count("and on") == 0


async def test_a_line_that_comes_while_its_run_is_written_needs_no_further_one_to_go_out() -> None:
    def say_more() -> None:
        if len(transport.messages) == BATCH:
            talking.write("last")

    transport: Any = Heard(say_more)
    writer = LogWriter(transport)
    talking = run_log(writer)
    for _ in range(BATCH + 1):
        talking.write("first")
    writing = asyncio.create_task(writer.run())
    try:
        await until("the last line is there", lambda: "last" in transport.messages)
    finally:
        writing.cancel()
    assert len(transport.messages) == BATCH + 2


async def test_lines_that_cannot_be_stored_do_not_keep_a_job_from_ending(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def chatter() -> None:
        print("in vain")

    async with hr, running(speaking(worker_of(hr), Broken)):
        for _ in range(3):
            assert (await finished(hr, await hr.enqueue("chatter"))).status == "succeeded"


async def test_a_handler_that_cancels_its_own_task_ends_like_any_other(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def odd() -> str:
        print("said")
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        return "done"

    async with working(hr, concurrency=1):
        for _ in range(2):
            job = await finished(hr, await hr.enqueue("odd"))
            assert (job.status, job.result) == ("succeeded", "done")
            assert await said(connection, job.id) == ["said"]


@pytest.mark.parametrize("limit", ["lines", "size"])
async def test_beyond_the_cap_lines_are_counted_and_the_last_words_kept(
    database_url: str, connection: Connection, limit: str
) -> None:
    logs = LogsSettings.model_construct(**({"max_lines": 50} if limit == "lines" else {"max_mb": 1000 / 2**20}))
    hr = app_on(database_url, logs=logs)

    @hr.job()
    async def chatter(ctx: Context) -> None:
        for number in range(5000):
            print(f"{number:020}")
        # All that is kept by now is stored: the notice and the last words come alone.
        await until_said(connection, ctx.job_id, f"{49:020}")
        print("my last words")

    async with working(hr):
        job = await finished(hr, await hr.enqueue("chatter"))
    lines = await said(connection, job.id)
    assert lines[:50] == [f"{number:020}" for number in range(50)]
    tail = lines[51:]
    assert lines[50] == f"… {5001 - 50 - len(tail):,} lines left out: too many in one attempt"
    assert tail == [*(f"{number:020}" for number in range(5001 - len(tail), 5000)), "my last words"]
    assert 8000 < sum(map(len, tail)) <= 8192


async def test_a_lost_reply_doubles_nothing_and_loses_nothing(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def chatter() -> None:
        for number in range(2500):
            print(number)
            if number % 500 == 0:
                await asyncio.sleep(0.01)

    async with hr, running(speaking(worker_of(hr), ReplyLost)):
        for job_id in [await hr.enqueue("chatter") for _ in range(3)]:
            await finished(hr, job_id)
            assert await said(connection, job_id) == [str(number) for number in range(2500)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[OwnServer]:
    with own_server(tmp_path / "pg") as server:
        yield server


async def test_nothing_is_lost_while_the_database_is_away(server: OwnServer) -> None:
    hr = app_on(server.url, lease_duration_s=60.0)
    gone, ended = asyncio.Event(), asyncio.Event()

    @hr.job()
    async def chatter() -> None:
        print("before")
        await gone.wait()
        for number in range(1500):
            print("during", number)
        ended.set()

    async with working(hr):
        job_id = await hr.enqueue("chatter")
        connection = await Endpoint(server.url).connect("test")
        await until_said(connection, job_id, "before")
        await connection.close()
        await asyncio.to_thread(server.kill)
        gone.set()
        await asyncio.wait_for(ended.wait(), PATIENCE)
        await asyncio.to_thread(server.start)
        assert (await finished(hr, job_id)).status == "succeeded"
        connection = await Endpoint(server.url).connect("test")
        assert await said(connection, job_id) == ["before", *(f"during {number}" for number in range(1500))]
        await connection.close()


async def test_lines_of_a_run_that_another_worker_has_now_are_dropped(
    database_url: str, connection: Connection
) -> None:
    hr = app_on(database_url, lease_duration_s=3.0)  # it beats often, and so soon hears that it counts as lost
    started, lost = asyncio.Event(), asyncio.Event()

    @hr.job()
    async def chatter(ctx: Context) -> None:
        if ctx.fencing_token == 1:
            started.set()
            await lost.wait()
        print("run", ctx.fencing_token)

    async with working(hr) as process:
        job_id = await hr.enqueue("chatter")
        await asyncio.wait_for(started.wait(), PATIENCE)
        await connection.execute(
            "with lost as (update headrace.worker set state = 'lost' where id = $1)"
            " update headrace.queue set status = 'queued', worker_id = null, claimed_at = null, queued_at = now()",
            worker_id(process),
        )
        lost.set()
        assert (await finished(hr, job_id)).status == "succeeded"
        assert await said(connection, job_id) == ["run 2"]
    assert [outcome for _, outcome, _ in await attempts(connection, job_id)] == ["succeeded"]


async def test_ten_megabytes_without_a_newline_are_few_short_lines(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    def endless() -> None:
        for _ in range(10):
            sys.stdout.write("x" * 2**20)

    async with working(hr):
        job = await finished(hr, await hr.enqueue("endless"))
    lines = await said(connection, job.id)
    assert 1 <= len(lines) <= 10
    assert {len(line.encode()) for line in lines} == {16_384}
    assert {line.strip("x") for line in lines} == {"…"}


async def test_any_characters_are_kept_or_made_visible(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def odd(ctx: Context) -> None:
        print("a\x00b")
        print("a\udc80b")
        print("\x1b[31mred\x1b[0m")
        ctx.log.info("fields", text="a\x00b\ud800", number=10**400, infinite=float("inf"))
        ctx.log.info("x" * 50_000)

    async with working(hr):
        job = await finished(hr, await hr.enqueue("odd"))
    assert job.status == "succeeded"
    lines = await said(connection, job.id)
    assert lines[:4] == ["a\\x00b", "a\\udc80b", "\x1b[31mred\x1b[0m", "fields"]
    assert len(lines[4].encode()) <= 16_384
    assert await connection.fetchval("select fields is not null from headrace.log where message = 'fields'")
