"""The parts of spawner and monitor that can be looked at by themselves."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.executors.command.running import LINUX_ONLY, program_argv
from tests.waiting import PATIENCE, wait_until

from headrace.executors.command.keeper import scratch, stills, tree, wire
from headrace.executors.command.spawner import KEEPER

pytestmark = LINUX_ONLY


def test_a_kernel_without_lists_of_children_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    up = tmp_path / "up"
    with subprocess.Popen(program_argv("family", up)) as leader:
        wait_until("it runs", up.exists)
        by_lists = tree.descendants(leader.pid)
        monkeypatch.setattr(tree, "_has_lists", False)
        assert tree.descendants(leader.pid) == by_lists
        assert tree.children(os.getpid()) >= [leader.pid]
        tree.kill(lambda: [leader.pid, *tree.descendants(leader.pid)])
    for pid in map(int, up.read_text().strip("[]").split(",")):
        tree.send([pid], 9)  # here the daemon has no subreaper, and is nobody's descendant
    assert len(by_lists) == 1


def test_a_process_stands_still_that_was_stopped_and_not_continued_between_two_looks() -> None:
    def is_stopped() -> bool:
        return bool(tree.stopped([sleeper.pid]))

    with subprocess.Popen(["/bin/sleep", "3600"]) as sleeper:
        looks = stills.Stills()

        def look(command: int = 0) -> stills.Look:
            return looks.look(command, [sleeper.pid], time.monotonic())

        for number in (signal.SIGSTOP, signal.SIGCONT, signal.SIGSTOP):  # as one who slows a process down does
            assert look() == stills.Look()
            sleeper.send_signal(number)
            wait_until("it is stopped or not", lambda: is_stopped() == (number == signal.SIGSTOP))  # noqa: B023
        assert look() == stills.Look()
        assert look() == stills.Look(note=f"{sleeper.pid} (sleep)")
        assert look() == stills.Look()
        sleeper.send_signal(signal.SIGCONT)
        wait_until("it goes on", lambda: not is_stopped())
        assert look() == stills.Look(note="")
        sleeper.send_signal(signal.SIGSTOP)
        wait_until("it is stopped", is_stopped)
        assert [look(sleeper.pid).command_stands for _ in range(2)] == [False, True]
        sleeper.kill()


def test_forsaken_scratch_directories_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forsaken, held, other = (tmp_path / name for name in ("headrace-run-1", "headrace-run-2", "mine"))
    for folder in (forsaken, held, other):
        (folder / "deep" / "er").mkdir(parents=True)
    fd = os.open(held, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_SH)
    scratch.sweep(str(tmp_path))
    assert forsaken.exists()  # it may just have been made
    monkeypatch.setattr(scratch, "FORSAKEN_AFTER", -1.0)
    scratch.sweep(str(tmp_path))
    os.close(fd)
    assert not forsaken.exists()
    assert held.exists()
    assert other.exists()


def test_messages_are_taken_whole_however_they_arrive() -> None:
    stream = wire.frame(wire.HELLO) + wire.frame(wire.RESULT, b"abc")
    buffer, taken = bytearray(), []
    for byte in stream:
        buffer.append(byte)
        taken += wire.take_frames(buffer)
    assert taken == [(wire.HELLO, b""), (wire.RESULT, b"abc")]
    assert not buffer


def test_the_spawner_imports_nothing_but_the_standard_library_and_its_own_folder() -> None:
    look = (
        "import sys; sys.path.append(sys.argv[1]); import keeper.spawner; "
        "print(*(name for name in sys.modules if name.partition('.')[0] not in sys.stdlib_module_names))"
    )
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-c", look, str(KEEPER.parents[1])], capture_output=True, text=True, check=True
    )
    assert {name.partition(".")[0] for name in found.stdout.split()} == {"__main__", "keeper"}


def test_the_spawner_of_a_worker_that_is_gone_ends_at_once(tmp_path: Path) -> None:
    nobody = subprocess.Popen(["/bin/true"])
    nobody.wait()
    arguments = [sys.executable, "-I", "-S", str(KEEPER), "0", str(nobody.pid), "60", str(tmp_path)]
    line, ours = __import__("socket").socketpair()
    with line, ours:
        assert subprocess.run(arguments, stdin=line, check=False, timeout=PATIENCE).returncode == 0
