"""Running one command, and looking at processes."""

from __future__ import annotations

import asyncio
import json
import os
import pwd
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.executors.doing import ended
from tests.waiting import until

from headrace.executors.command.executor import CommandExecutor, how_it_stopped
from headrace.executors.command.launch import Ended, Launch

PROGRAMS = Path(__file__).with_name("programs.py")
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper")
IS_ROOT = os.geteuid() == 0


class Output:
    """Collects what a command prints."""

    def __init__(self) -> None:
        self.parts: list[tuple[str, bytes]] = []

    def __call__(self, stream: str, data: bytes) -> None:
        self.parts.append((stream, data))

    def of(self, stream: str) -> bytes:
        """All of one stream."""
        return b"".join(data for name, data in self.parts if name == stream)


def shell(script: str, **options: Any) -> Launch:
    """A launch of a shell, which is what a test writes most easily."""
    return Launch([b"/bin/sh", b"-c", script.encode()], **{"env": {"PATH": "/usr/bin:/bin"}, **options})


def program(name: str, *arguments: object, **options: Any) -> Launch:
    """A launch of one of the programs."""
    return Launch([os.fsencode(part) for part in program_argv(name, *arguments)], **options)


def program_argv(name: str, *arguments: object, python: str = sys.executable) -> list[str]:
    """How one of the programs is called."""
    return [python, "-I", "-S", str(PROGRAMS), name, *map(str, arguments)]


async def run(commands: CommandExecutor, launch: Launch) -> tuple[Ended, Output]:
    """Run it to its end."""
    output = Output()
    return await commands.run(launch, output), output


async def begin(
    commands: CommandExecutor, name: str, file: Path, output: Output | None = None, **options: Any
) -> tuple[asyncio.Task[Ended], list[int]]:
    """Start a program and wait until it has announced its processes; the task tells how it ended, if cancelled too."""
    launch = program(name, file, **options)
    task = asyncio.create_task(end_of(commands, launch, output or Output()))
    await until("the command runs", lambda: file.exists() or task.done())
    return task, json.loads(file.read_text())


async def end_of(commands: CommandExecutor, launch: Launch, output: Output) -> Ended:
    """Run it to its end, or be cancelled, and say how it ended."""
    try:
        return await commands.run(launch, output)
    except asyncio.CancelledError as cancelled:
        ended = how_it_stopped(cancelled)
        if ended is None:
            raise
        return ended


async def gone(pids: list[int]) -> None:
    """Wait until none of the processes is left."""
    await until("the whole tree is gone", lambda: all(ended(pid) for pid in pids))


def parent(pid: int) -> int:
    """Its parent."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def children(pid: int) -> set[int]:
    """Its children that live."""
    found: set[int] = set()
    for of_thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread may end while one looks
            found.update(int(child) for child in of_thread.read_text().split())
    return {child for child in found if not ended(child)}


def other_user(name: str = "nobody") -> str:
    """An account without rights that a command can run as, or skip the test; processes are counted by account."""
    if not IS_ROOT:
        pytest.skip("only root can run a command as another user")
    try:
        return pwd.getpwnam(name).pw_name
    except KeyError:
        pytest.skip(f"unknown user {name}")


def public_python() -> str:
    """A Python that every user may run, or skip the test."""
    found = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    return found or pytest.skip("there is no Python for everybody")
