"""What processes of their own say, and what runs leave behind that goes on speaking."""

from __future__ import annotations

import asyncio

import pytest
from tests.contract import apart
from tests.waiting import PATIENCE
from tests.worker.running import app_on, finished, said, set_up, working

from headrace.db.connect import Connection


async def test_a_process_of_its_own_has_what_it_prints_and_logs_and_its_children_print(
    database_url: str, connection: Connection
) -> None:
    async with working(set_up(apart.hr, database_url)):
        job = await finished(apart.hr, await apart.speak_apart.enqueue())
    assert job.status == "succeeded"
    rows = await connection.fetch("select message, level, stream, fields from headrace.log")
    assert sorted((row[0], row[1], row[2], row[3]) for row in rows) == [
        ("a child", 20, 1, None),
        ("logged 1", 30, 0, '{"logger": "shop"}'),
        ("printed", 20, 1, None),
        ("said", 20, 0, '{"n": 1}'),
        ("to stderr", 20, 2, None),
    ]


async def test_what_a_process_left_behind_prints_does_not_hold_up_the_worker(database_url: str) -> None:
    async with working(set_up(apart.hr, database_url)):
        for _ in range(2):
            assert (await finished(apart.hr, await apart.leave_flood_apart.enqueue())).result == "ended"


async def test_what_a_run_left_behind_says_later_is_the_workers_own(
    database_url: str, connection: Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    hr = app_on(database_url)
    later, over = asyncio.Event(), asyncio.Event()
    left: list[asyncio.Task[None]] = []

    @hr.job()
    async def leaves() -> None:
        async def after() -> None:
            await later.wait()
            print("much later")
            over.set()

        print("in time")
        left.append(asyncio.create_task(after()))

    async with working(hr):
        job = await finished(hr, await hr.enqueue("leaves"))
        later.set()
        await asyncio.wait_for(over.wait(), PATIENCE)
    assert await said(connection, job.id) == ["in time"]
    assert capsys.readouterr().out == "much later\n"
