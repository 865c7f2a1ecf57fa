"""A command that prints without end beside others."""

from __future__ import annotations

import asyncio
import time

import pytest
from tests.executors.command.running import LINUX_ONLY, Output, end_of
from tests.waiting import until

from headrace.executors.command.executor import CommandExecutor
from headrace.executors.command.launch import Launch

pytestmark = LINUX_ONLY


class Measured(Output):
    """Counts, and pauses after each piece so that no more than so many bytes a second are read."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate
        self.size = 0

    def __call__(self, _stream: str, data: bytes) -> float:  # type: ignore[override]
        self.size += len(data)
        return len(data) / self.rate


async def worst_delay(seconds: float) -> float:
    """How late a coroutine that wants to run every millisecond came at worst."""
    loop = asyncio.get_running_loop()
    worst, end = 0.0, time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        tick = loop.create_future()
        loop.call_later(0.001, tick.set_result, None)
        await tick
        worst = max(worst, time.perf_counter() - began - 0.001)
    return worst


async def test_a_flood_is_read_at_the_asked_rate_and_leaves_the_loop_to_others(
    commands: CommandExecutor, capsys: pytest.CaptureFixture[str]
) -> None:
    output = Measured(16_000_000)
    task = asyncio.create_task(end_of(commands, Launch([b"/usr/bin/yes"]), output))
    await until("it floods", lambda: output.size > 0)
    began, size, used = time.perf_counter(), output.size, time.process_time()
    delay = await worst_delay(1.0)
    took = time.perf_counter() - began
    rate, share = (output.size - size) / took, (time.process_time() - used) / took
    task.cancel()
    assert (await task).stopped
    assert rate < 17_000_000
    assert delay < 0.5
    with capsys.disabled():
        print(f"\nyes: {rate / 1e6:.1f} MB/s read, {share:.0%} of a core, worst delay {delay * 1000:.1f} ms")


async def test_the_last_words_of_a_flood_are_heard_at_the_asked_rate(commands: CommandExecutor) -> None:
    output = Measured(1_000_000)
    script = b"head -c 200000 /dev/zero; echo the end"
    end = await commands.run(Launch([b"/bin/sh", b"-c", script], env={"PATH": "/usr/bin:/bin"}), output)
    assert end.exit_code == 0
    assert output.size == 200_008
