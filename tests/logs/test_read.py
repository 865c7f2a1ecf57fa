"""Reading a job's lines: in order, page by page, never past one that is still being written."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.engine import Engine
from tests.logs.printing import Another, Run, put, start, stored

from headrace.logs import read
from headrace.logs.read import LinePage, read_lines
from headrace.model.job.outcome import Failed
from headrace.model.log.line import STDERR, STDOUT, LogLine


async def pages(run: Run, *, limit: int, **filters: int) -> list[LogLine]:
    """All lines, page by page."""
    lines: list[LogLine] = []
    after = None
    while True:
        page = await read_lines(run.engine.db, run.job_id, after=after, limit=limit, **filters)
        assert len(page.lines) <= limit
        lines += page.lines
        after = page.after
        if not page.more:
            return lines


async def next_run(run: Run) -> Run:
    """The run fails, waits, and is claimed again."""
    await run.engine.finish(run.worker, run.held, Failed("again"))
    await run.engine.db.execute("update headrace.queue set status = 'queued', run_at = null, queued_at = now()")
    (held,) = await run.engine.claim(run.worker)
    return Run(run.engine, run.worker, held, run.began + timedelta(seconds=1))


async def test_lines_come_in_order_of_run_and_number(engine: Engine) -> None:
    first = await start(engine)
    await first.write(first.lines(3))
    second = await next_run(first)
    await second.write(second.lines(2))
    page = await read_lines(engine.db, first.job_id)
    assert page == LinePage(first.written + second.written, (2, 2), more=False, ended=False)
    await second.finish()
    page = await read_lines(engine.db, first.job_id, after=page.after)
    assert page == LinePage([], (2, 2), more=False, ended=True)


async def test_pages_of_every_size_have_each_line_once(engine: Engine) -> None:
    first = await start(engine)
    await first.write(first.lines(7))
    second = await next_run(first)
    await second.write(second.lines(4))
    for limit in range(1, 13):
        assert await pages(first, limit=limit) == first.written + second.written


async def test_a_page_of_long_lines_ends_early_and_the_next_goes_on(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "LARGEST_PAGE", 2_000)
    run = await start(engine)
    await run.write([run.line(message="x" * 900) for _ in range(7)] + [run.line(message="y" * 9_000)])
    page = await read_lines(engine.db, run.job_id, limit=1000)
    assert (len(page.lines), page.more) == (2, True)
    assert await pages(run, limit=1000) == run.written


async def test_a_filter_that_matches_nothing_ends_its_page_and_says_where_to_go_on(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "LARGEST_READ", 3)
    monkeypatch.setattr(read, "MOST_READ", 6)
    run = await start(engine)
    await run.write([run.line(level=20) for _ in range(8)])
    assert await read_lines(engine.db, run.job_id, level=40) == LinePage([], (1, 6), more=True, ended=False)


async def test_filters_by_level_and_stream_page_as_well(engine: Engine) -> None:
    run = await start(engine)
    streams = (STDOUT, STDERR)
    await run.write([run.line(level=10 * (1 + n % 5), stream=streams[n % 2]) for n in range(50)])
    for limit in (1, 3, 50):
        assert await pages(run, limit=limit, level=30) == [line for line in run.written if line.level >= 30]
        assert await pages(run, limit=limit, stream=STDERR) == [line for line in run.written if line.stream == STDERR]
        both = [line for line in run.written if line.level >= 40 and line.stream == STDOUT]
        assert await pages(run, limit=limit, level=40, stream=STDOUT) == both


async def test_a_hole_stops_the_reader_until_it_is_filled(engine: Engine, another: Another) -> None:
    run = await start(engine)
    await run.write(run.lines(2))
    slow, quick = run.lines(3), run.lines(3)
    writer = await another()
    async with writer.transaction():
        await run.write(slow, writer)
        await run.write(quick)
        page = await read_lines(engine.db, run.job_id)
        assert ([line.seq for line in page.lines], page.after) == ([1, 2], (1, 2))
        assert not page.more
    page = await read_lines(engine.db, run.job_id, after=page.after)
    assert [line.seq for line in page.lines] == [3, 4, 5, 6, 7, 8]


async def test_a_hole_among_unwanted_lines_stops_the_reader_too(engine: Engine) -> None:
    run = await start(engine)
    lines = [run.line(level=10), run.line(level=10), run.line(level=40)]
    await run.write([lines[0], lines[2]])
    page = await read_lines(engine.db, run.job_id, level=40)
    assert (page.lines, page.after) == ([], (1, 1))


async def test_a_run_that_has_ended_is_read_over_its_holes(engine: Engine) -> None:
    run = await start(engine)
    lines = run.lines(5)
    await run.write([lines[0], lines[3], lines[4]])
    assert len((await read_lines(engine.db, run.job_id)).lines) == 1
    second = await next_run(run)
    await second.write(second.lines(1))
    assert [(line.run, line.seq) for line in (await read_lines(engine.db, run.job_id)).lines] == [
        (1, 1),
        (1, 4),
        (1, 5),
        (2, 1),
    ]


async def test_a_run_that_begins_with_a_hole_waits(engine: Engine) -> None:
    run = await start(engine)
    lines = run.lines(2)
    await run.write([lines[1]])
    assert (await read_lines(engine.db, run.job_id)).after == (0, 0)


async def test_lines_pruned_from_under_a_long_run_do_not_stop_the_reader_for_ever(engine: Engine) -> None:
    run = await start(engine)
    await run.write([line._replace(at=line.at - timedelta(minutes=2)) for line in run.lines(10)])
    await engine.db.execute("delete from headrace.log where seq < 5")
    if (await stored(engine.db, run.job_id))[0].at < run.began - timedelta(minutes=1):
        assert [line.seq for line in (await read_lines(engine.db, run.job_id)).lines] == [5, 6, 7, 8, 9, 10]


async def test_lines_outlive_their_job(engine: Engine) -> None:
    run = await start(engine)
    lines = run.lines(3)
    await put(engine.db, lines[1:])
    await engine.db.execute("delete from headrace.queue")
    await engine.db.execute("delete from headrace.job")
    page = await read_lines(engine.db, run.job_id)
    assert page == LinePage(lines[1:], (1, 3), more=False, ended=True)


async def test_a_job_without_lines_is_an_empty_page(engine: Engine) -> None:
    run = await start(engine)
    assert await read_lines(engine.db, run.job_id) == LinePage([], (0, 0), more=False, ended=False)
