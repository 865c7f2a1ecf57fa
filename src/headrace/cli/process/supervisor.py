"""Several worker processes under one: started, watched, replaced and stopped together."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from types import FrameType

from headrace.log import get_logger

log = get_logger("headrace")
LOOK_EVERY = 0.5


def run_processes(count: int) -> None:
    """Run this same command `count` times with one process each, until told to stop."""
    command = [sys.executable, "-m", "headrace", *_without_processes(sys.argv[1:]), "--processes", "1"]
    signals: list[int] = []
    told: set[int] = set()
    children: list[subprocess.Popen[bytes]] = []

    def forward(number: int, _frame: FrameType | None) -> None:
        signals.append(number)
        for child in children:
            if child.poll() is None:
                told.add(child.pid)
                child.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, forward)
    signal.signal(signal.SIGHUP, lambda _number, _frame: _have_commands_read(children))
    children += [_start(command) for _ in range(count)]
    # One that ends well without a signal was drained: nobody wants another in its place.
    while not signals and any(child.poll() != 0 for child in children):
        for position, child in enumerate(children):
            if child.poll() not in (None, 0) and not signals:
                log.error("worker process replaced", pid=child.pid, exit_code=child.returncode)
                children[position] = _start(command)
        time.sleep(LOOK_EVERY)
    for child in children:
        # Started while the signal came, and so not told yet.
        if signals and child.pid not in told and child.poll() is None:
            child.send_signal(signals[0])
    raise SystemExit(max(_exit_code(child.wait()) for child in children))


def _have_commands_read(children: list[subprocess.Popen[bytes]]) -> None:
    for child in children:
        if child.poll() is None:
            child.send_signal(signal.SIGHUP)


def _exit_code(ended: int) -> int:
    """A child that our signal met before it could listen had nothing to give back: that is an orderly end too."""
    return 0 if ended in (-signal.SIGINT, -signal.SIGTERM) else abs(ended)


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    # In a session of its own, so that Ctrl-C in the terminal reaches it once, through us.
    return subprocess.Popen(command, start_new_session=True)  # noqa: S603 - our own command again


def _without_processes(arguments: list[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if skip or argument.startswith("--processes="):
            skip = False
        elif argument == "--processes":
            skip = True
        else:
            kept.append(argument)
    return kept
