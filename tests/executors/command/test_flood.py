"""A command that prints without end beside others."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

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


async def test_a_flood_is_read_at_the_asked_rate_and_leaves_the_loop_to_others(commands: CommandExecutor) -> None:
    output = Measured(16_000_000)
    task = asyncio.create_task(end_of(commands, Launch([b"/usr/bin/yes"]), output))
    await until("it floods", lambda: output.size > 0)
    began, read = time.monotonic(), [output.size]
    while output.size - read[0] < 4_000_000:
        await asyncio.sleep(0)
        read.append(output.size)
    took = time.monotonic() - began
    task.cancel()
    assert (await task).stopped
    pieces = [after - before for before, after in pairwise(read)]
    assert max(pieces) <= 1_000_000, "others have their turns in between"
    assert took >= (read[-1] - read[0] - 2 * max(pieces)) / output.rate, "a busy machine is slower, never faster"


async def test_the_last_words_of_a_flood_are_heard_at_the_asked_rate(commands: CommandExecutor) -> None:
    output = Measured(1_000_000)
    script = b"head -c 200000 /dev/zero; echo the end"
    end = await commands.run(Launch([b"/bin/sh", b"-c", script], env={"PATH": "/usr/bin:/bin"}), output)
    assert end.exit_code == 0
    assert output.size == 200_008
