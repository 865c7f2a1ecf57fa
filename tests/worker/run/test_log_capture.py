"""What handlers print and log becomes lines of their own run, and of no other."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.worker.running import finished, said, working

from headrace import Context, Headrace
from headrace.capture import JobLogHandler
from headrace.db.connect import Connection
from headrace.log import get_logger
from headrace.model.job.record import ClaimedJob
from headrace.model.log.run_log import RunLog
from headrace.worker.run.runner import Runner

EACH = 20


async def test_a_hundred_handlers_at_once_each_have_exactly_their_own_lines(
    hr: Headrace, connection: Connection
) -> None:
    together = threading.Barrier(20)

    @hr.job()
    async def plain(name: str) -> None:
        for number in range(EACH):
            print(name, number)
            await asyncio.sleep(0)

    @hr.job()
    async def tasks(name: str) -> None:
        async def say(number: int) -> None:
            await asyncio.sleep(0)
            print(name, number)

        for number in range(EACH):
            await asyncio.create_task(say(number))

    @hr.job()
    async def to_thread(name: str) -> None:
        for number in range(EACH):
            await asyncio.to_thread(print, name, number)

    @hr.job()
    async def in_executor(name: str) -> None:
        for number in range(EACH):
            await asyncio.get_running_loop().run_in_executor(None, print, name, number)

    @hr.job()
    def thread(name: str) -> None:
        together.wait(60)
        for number in range(EACH):
            print(name, number)

    kinds = ("plain", "tasks", "to_thread", "in_executor", "thread")
    async with working(hr, concurrency=100):
        names = {await hr.enqueue(kind, {"name": f"{kind}-{n}"}): f"{kind}-{n}" for n in range(20) for kind in kinds}
        for job_id, name in names.items():
            assert (await finished(hr, job_id)).status == "succeeded"
            assert await said(connection, job_id) == [f"{name} {number}" for number in range(EACH)]


async def test_print_is_a_line_however_many_writes_it_takes(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def chatter() -> None:
        print("a", 1, None, sep="-")
        print("two\nlines")
        print("begun, ", end="")
        print("ended")
        print("to stderr", file=sys.stderr)
        print()
        sys.stdout.writelines(["x", "y\n"])
        print("no newline", end="")

    async with working(hr):
        job = await finished(hr, await hr.enqueue("chatter"))
    rows = await connection.fetch("select message, stream, level from headrace.log order by seq")
    assert [row["message"] for row in rows] == [
        *("a-1-None", "two", "lines", "begun, ended", "to stderr", "", "xy", "no newline")
    ]
    assert [row["stream"] for row in rows] == [1, 1, 1, 1, 2, 1, 1, 1]
    assert {row["level"] for row in rows} == {20}
    assert job.status == "succeeded"


async def test_logging_keeps_arguments_levels_and_exceptions(hr: Headrace, connection: Connection) -> None:
    # Apart from the root, where the handler of pytest raises for it.
    broken = logging.getLogger("shop.broken")
    broken.propagate, broken.handlers = False, [JobLogHandler()]

    @hr.job()
    async def chatter() -> None:
        log = logging.getLogger("shop.mail")
        log.warning("sent %d of %s", 3, "five")
        broken.error("100 %% of %d", "not a number")
        try:
            raise ValueError("broken")
        except ValueError:
            log.exception("it failed")

    async with working(hr):
        await finished(hr, await hr.enqueue("chatter"))
    rows = await connection.fetch("select message, level, stream, fields from headrace.log order by seq")
    assert tuple(rows[0]) == ("sent 3 of five", 30, 0, '{"logger": "shop.mail"}')
    assert rows[1]["message"].startswith("'100 %% of %d' (its arguments do not fit")
    assert rows[2]["level"] == 40
    assert rows[2]["message"].startswith("it failed\nTraceback")
    assert rows[2]["message"].endswith("ValueError: broken")


@pytest.mark.parametrize("bound", [True, False])
async def test_own_pools_and_raw_threads_speak_for_the_worker_unless_bound(
    hr: Headrace, connection: Connection, capsys: pytest.CaptureFixture[str], bound: bool
) -> None:
    @hr.job()
    async def chatter(ctx: Context) -> None:
        say: Callable[..., None] = ctx.bind(print) if bound else print
        with ThreadPoolExecutor(1) as pool:
            pool.submit(say, "from a pool").result()
        thread = threading.Thread(target=say, args=("from a thread",))
        thread.start()
        thread.join()

    async with working(hr):
        job = await finished(hr, await hr.enqueue("chatter"))
    lines, outside = await said(connection, job.id), capsys.readouterr().out
    assert lines == (["from a pool", "from a thread"] if bound else [])
    assert outside == ("" if bound else "from a pool\nfrom a thread\n")


async def test_the_contexts_logger_has_fields_from_any_thread(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def chatter(ctx: Context) -> None:
        ctx.log.info("in the loop", n=1)
        thread = threading.Thread(target=lambda: ctx.log.bind(shop="a").warning("100 % in a thread", n=2))
        thread.start()
        thread.join()
        ctx.log.debug("quiet", token="xyz-xyz-xyz", what=object)

    async with working(hr):
        await finished(hr, await hr.enqueue("chatter"))
    rows = await connection.fetch("select message, level, fields from headrace.log order by seq")
    assert [tuple(row) for row in rows] == [
        ("in the loop", 20, '{"n": 1}'),
        ("100 % in a thread", 30, '{"n": 2, "shop": "a"}'),
        ("quiet", 10, '{"what": "<class \'object\'>", "token": "***"}'),
    ]


async def test_a_line_through_our_own_loggers_is_there_once(hr: Headrace, connection: Connection) -> None:
    logging.getLogger("headrace").setLevel(logging.DEBUG)

    @hr.job()
    async def chatter(ctx: Context) -> None:
        ctx.log.warning("once", n=1)
        get_logger("headrace.shop").warning("50 % off", n=2)

    try:
        async with working(hr):
            job = await finished(hr, await hr.enqueue("chatter"))
    finally:
        logging.getLogger("headrace").setLevel(logging.NOTSET)
    assert await said(connection, job.id) == ["once", "50 % off"]


async def test_a_job_that_says_nothing_opens_no_log(
    hr: Headrace, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    real = Runner._open_log

    def counted(self: Runner, job: ClaimedJob) -> RunLog:
        opened.append(job)
        return real(self, job)

    monkeypatch.setattr(Runner, "_open_log", counted)

    @hr.job()
    async def quiet(ctx: Context) -> str:
        ctx.progress(0.5)
        return ctx.tenant

    @hr.job()
    def quiet_thread(ctx: Context) -> str:
        return ctx.tenant

    async with working(hr):
        for key in ("quiet", "quiet_thread"):
            await finished(hr, await hr.enqueue(key))
        assert opened == []
        assert await connection.fetchval("select count(*) from headrace.log") == 0


async def test_the_standard_streams_are_what_they_were_outside_of_runs(
    hr: Headrace, connection: Connection, capfd: pytest.CaptureFixture[str]
) -> None:
    async with working(hr):
        print("outside", 1)
        print("and stderr", file=sys.stderr)
        assert sys.stdout.encoding.lower() == "utf-8"
        assert not sys.stdout.isatty()
        assert sys.stdout.errors
        subprocess.run(["/bin/echo", "from a child"], stdout=sys.stdout.fileno(), check=True)
        sys.stdout.flush()
        sys.stdout.buffer.write(b"bytes\n")
        sys.stdout.flush()
    out, err = capfd.readouterr()
    assert set(out.splitlines()) == {"outside 1", "from a child", "bytes"}
    assert "and stderr\n" in err
    assert await connection.fetchval("select count(*) from headrace.log") == 0


async def test_a_write_that_is_no_text_is_refused_as_ever_and_spoils_nothing(
    hr: Headrace, connection: Connection
) -> None:
    @hr.job(max_attempts=1)
    async def chatter() -> None:
        print("begun, ", end="")
        with pytest.raises(TypeError):
            sys.stdout.write(b"bytes")  # type: ignore[arg-type]
        print("ended")
        with pytest.raises(TypeError):
            sys.stdout.write(5)  # type: ignore[arg-type]

    async with working(hr):
        job = await finished(hr, await hr.enqueue("chatter"))
    assert job.status == "succeeded"
    assert await said(connection, job.id) == ["begun, ended"]
