"""A worker for a test to kill or stop: `python -m tests.executors.command.doomed_worker <scratch> <lease> <file>…`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path

from tests.executors.command.programs import announce
from tests.executors.command.running import Output, program
from tests.waiting import until

from headrace.executors.command.executor import CommandExecutor


async def main(scratch: str, lease: str, *files: str) -> None:
    """Run a deaf family for each file until somebody ends this process, beating from another thread."""
    commands = CommandExecutor(lease=float(lease), scratch=Path(scratch))
    threading.Thread(target=beat, args=(commands, float(lease) / 10), daemon=True).start()
    runs = [asyncio.create_task(commands.run(program("deaf", file, kill_grace=3600), Output())) for file in files]
    await until("all commands run", lambda: all(map(os.path.exists, files)))
    fork = os.fork()  # as a handler may: it inherits all that is open, and outlives the worker
    if fork == 0:
        signal.pause()
    announce(f"{files[0]}-fork", fork)
    await asyncio.gather(*runs)


def beat(commands: CommandExecutor, interval: float) -> None:
    """Beat for ever."""
    while not threading.Event().wait(interval):
        commands.beat()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
