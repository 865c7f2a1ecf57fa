"""What the tests run as commands: `python -I -S programs.py <name> <arguments>`. Standard library only."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import NoReturn


def announce(file: str, *pids: int) -> None:
    """Say in a file, all at once, who is there."""
    with open(f"{file}.new", "w", encoding="utf-8") as new:
        json.dump(pids, new)
    os.replace(f"{file}.new", file)


def sleep_for_ever() -> NoReturn:
    while True:
        time.sleep(3600)


def clean_up(seconds: float) -> NoReturn:
    time.sleep(seconds)
    os.write(1, b"cleaned up\n")
    sys.exit()


def fork_sleeper(*, daemon: bool = False) -> int:
    """A child that sleeps; a daemon is a grandchild in a session of its own, with nothing in its environment."""
    told, tell = os.pipe()
    if os.fork() == 0:
        if daemon:
            os.setsid()
            if os.fork():
                os._exit(0)
        os.write(tell, b"%d" % os.getpid())
        if daemon:
            os.execve("/bin/sleep", ["sleep", "3600"], {})  # noqa: S606
        sleep_for_ever()
    pid = int(os.read(told, 20))
    if daemon:
        os.wait()
    return pid


def family(file: str) -> None:
    """Stay, with a child and a daemon."""
    announce(file, os.getpid(), fork_sleeper(), fork_sleeper(daemon=True))
    sleep_for_ever()


def leave(file: str) -> None:
    """End, and leave a daemon that holds stdout."""
    announce(file, fork_sleeper(daemon=True), fork_sleeper())


def deaf(file: str) -> None:
    """Stay, and ignore SIGTERM, as a child does too."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    announce(file, os.getpid(), fork_sleeper())
    sleep_for_ever()


def slow_child(file: str) -> None:
    """End at once on SIGTERM; a child takes its time to clean up."""
    told, tell = os.pipe()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, lambda *_: clean_up(0.3))
        os.write(tell, b"%d" % os.getpid())
        sleep_for_ever()
    announce(file, os.getpid(), int(os.read(told, 20)))
    sleep_for_ever()


def polite(file: str) -> None:
    """Clean up on SIGTERM, and end well."""
    signal.signal(signal.SIGTERM, lambda *_: clean_up(0))
    announce(file, os.getpid())
    sleep_for_ever()


def hold(megabytes: str) -> None:
    """Use so much memory."""
    kept = bytearray(int(megabytes) * 1024 * 1024)
    kept[::4096] = b"x" * len(kept[::4096])


def burn(seconds: str) -> None:
    """Use so much time of a processor."""
    while time.process_time() < float(seconds):
        pass


def scatter(number: str) -> None:
    """End, and leave so many processes behind, each in a session of its own and the child of another."""
    told, tell = os.pipe()
    first = os.getpid()
    for _ in range(int(number)):
        if os.fork():
            break
        os.setsid()
    else:
        os.write(tell, b"all are there")
    if os.getpid() == first:
        os.read(told, 20)
    else:
        sleep_for_ever()


def dig(depth: str) -> None:
    """Make folders within folders, and lock the outermost."""
    for _ in range(int(depth)):
        os.mkdir("d")
        os.chdir("d")
        with open("file", "w", encoding="ascii"):
            pass
    os.chmod(os.environ["HOME"] + "/d", 0)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
