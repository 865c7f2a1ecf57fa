"""Run by itself: an application is used, then by a forked child, which ends as any program does, then once more."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys

import pytest

from headrace import Headrace
from headrace.app.open_here import NotOpen

how, where = sys.argv[1:]
hr = Headrace(where, app="forking") if where.startswith("postgresql") else Headrace(data_dir=where, app="forking")


@hr.job
async def add(x: int) -> int:
    return x


def blocking() -> None:
    """Through `hr.blocking`, with a child that ends in order."""
    hr.blocking.enqueue("add", {"x": 1})
    child = os.fork()
    hr.blocking.enqueue("add", {"x": 2})
    if not child:
        sys.exit(7)
    print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    for _ in range(20):
        hr.blocking.get_job(hr.blocking.enqueue("add", {"x": 3}))


async def awaited() -> None:
    """Through `hr` itself, with a child of multiprocessing."""
    async with hr:
        await hr.enqueue("add", {"x": 1})
        child = multiprocessing.get_context("fork").Process(target=asyncio.run, args=[awaited_in_child(os.getpid())])
        child.start()
        await asyncio.to_thread(child.join)
        print("child", child.exitcode)
        for _ in range(20):
            await hr.get_job(await hr.enqueue("add", {"x": 3}))


async def awaited_in_child(parent: int) -> None:
    """It is not open here until it is opened here."""
    with pytest.raises(NotOpen, match=f"was opened in process {parent}"):
        await hr.enqueue("add", {"x": 2})
    async with hr:
        await hr.get_job(await hr.enqueue("add", {"x": 2}))
    sys.exit(7)


if __name__ == "__main__":
    blocking() if how == "blocking" else asyncio.run(awaited())
    print("went on")
