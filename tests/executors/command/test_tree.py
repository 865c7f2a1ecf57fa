"""How a command's whole tree is ended."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.executors.command.running import IS_ROOT, LINUX_ONLY, Output, begin, gone, program, run, shell
from tests.executors.doing import ended

from headrace.executors.command.executor import CommandExecutor, CommandsUnavailable, how_it_stopped

pytestmark = LINUX_ONLY
FREEZER = Path("/sys/fs/cgroup/freezer")


async def test_what_a_command_leaves_behind_is_killed_and_counted(commands: CommandExecutor, tmp_path: Path) -> None:
    up = tmp_path / "up"
    end, _ = await run(commands, program("leave", up))
    assert all(ended(pid) for pid in json.loads(up.read_text()))
    assert (end.exit_code, end.leftovers, end.stopped, end.timed_out) == (0, 2, False, False)


async def test_a_timeout_ends_the_whole_tree(commands: CommandExecutor, tmp_path: Path) -> None:
    task, pids = await begin(commands, "family", tmp_path / "up", timeout=0.5, kill_grace=3600)
    end = await task
    assert all(ended(pid) for pid in pids)
    assert (end.timed_out, end.stopped, end.signal, end.leftovers) == (True, False, signal.SIGTERM, 0)
    assert end.duration >= 0.5


async def test_a_cancellation_ends_the_whole_tree_and_comes_back_only_then(
    commands: CommandExecutor, tmp_path: Path
) -> None:
    task, pids = await begin(commands, "family", tmp_path / "up", kill_grace=3600)
    assert not any(ended(pid) for pid in pids)
    task.cancel()
    end = await task
    assert all(ended(pid) for pid in pids)
    assert (end.timed_out, end.stopped, end.exit_code, end.signal) == (False, True, None, signal.SIGTERM)


async def test_a_cancelled_run_is_cancelled_for_those_around_it(commands: CommandExecutor) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await commands.run(shell("exec sleep 3600"), Output())
    task = asyncio.create_task(commands.run(shell("exec sleep 3600"), Output()))
    await asyncio.wait({task}, timeout=0.1)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


async def test_a_run_cancelled_before_its_monitor_is_there_never_starts(
    commands: CommandExecutor, tmp_path: Path
) -> None:
    proof = tmp_path / "proof"
    for _ in range(10):
        task = asyncio.create_task(commands.run(shell(f"touch {proof}"), Output()))
        await asyncio.wait({task}, timeout=0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as raised:
            await task
        assert how_it_stopped(raised.value) is None
    assert (await run(commands, shell("true")))[0].exit_code == 0
    assert not proof.exists()


@pytest.mark.parametrize("by", ["timeout", "cancellation"])
async def test_a_tree_that_ignores_sigterm_is_killed_after_the_grace(
    commands: CommandExecutor, tmp_path: Path, by: str
) -> None:
    timeout = 0.5 if by == "timeout" else None
    task, pids = await begin(commands, "deaf", tmp_path / "up", timeout=timeout, kill_grace=0.3)
    if by == "cancellation":
        task.cancel()
    end = await task
    assert all(ended(pid) for pid in pids)
    assert (end.signal, end.timed_out, end.stopped) == (signal.SIGKILL, by == "timeout", by == "cancellation")


async def test_the_grace_is_for_the_whole_tree_and_its_last_words_are_heard(
    commands: CommandExecutor, tmp_path: Path
) -> None:
    output = Output()
    task, pids = await begin(commands, "slow_child", tmp_path / "up", output, kill_grace=3600)
    task.cancel()
    end = await task
    assert all(ended(pid) for pid in pids)
    assert end.signal == signal.SIGTERM
    assert output.of("stdout") == b"cleaned up\n"


async def test_a_command_that_ends_well_when_told_to_stop_was_stopped_nevertheless(
    commands: CommandExecutor, tmp_path: Path
) -> None:
    task, _ = await begin(commands, "polite", tmp_path / "up", kill_grace=3600)
    task.cancel()
    end = await task
    assert (end.exit_code, end.signal, end.stopped) == (0, None, True)


async def test_a_second_cancellation_does_not_wait_out_the_grace(commands: CommandExecutor, tmp_path: Path) -> None:
    task, pids = await begin(commands, "deaf", tmp_path / "up", kill_grace=3600)
    task.cancel()
    await asyncio.wait({task}, timeout=0.1)
    assert not task.done()
    task.cancel()
    end = await task
    assert all(ended(pid) for pid in pids)
    assert (end.signal, end.stopped) == (signal.SIGKILL, True)


async def test_a_stopped_process_is_ended_too(commands: CommandExecutor, tmp_path: Path) -> None:
    task, pids = await begin(commands, "family", tmp_path / "up", kill_grace=3600)
    os.kill(pids[0], signal.SIGSTOP)
    task.cancel()
    assert (await task).signal == signal.SIGTERM
    await gone(pids)


async def test_a_pipe_held_by_a_stranger_does_not_keep_a_run_from_ending(
    commands: CommandExecutor, tmp_path: Path
) -> None:
    fifo = tmp_path / "door"
    os.mkfifo(fifo)
    holder = os.open(fifo, os.O_RDWR)
    held: list[int] = []

    def hold(_stream: str, data: bytes) -> None:
        held.append(os.open(f"/proc/{int(data)}/fd/1", os.O_WRONLY))
        os.write(holder, b"go\n")

    try:
        end = await commands.run(shell(f"echo $$; read word < {fifo}"), hold)
        assert end.exit_code == 0
    finally:
        for fd in [holder, *held]:
            os.close(fd)


async def test_closing_stops_every_command(scratch: Path, tmp_path: Path) -> None:
    commands = CommandExecutor(lease=3600, scratch=scratch)
    first, pids = await begin(commands, "family", tmp_path / "first", kill_grace=3600)
    second, others = await begin(commands, "deaf", tmp_path / "second", kill_grace=0.2)
    await commands.close()
    assert all(ended(pid) for pid in pids + others)
    assert (await first).stopped
    assert (await second).stopped
    with pytest.raises(CommandsUnavailable, match="the worker is closing"):
        await run(commands, shell("true"))


async def test_an_executor_that_ran_nothing_closes(scratch: Path) -> None:
    commands = CommandExecutor(lease=3600, scratch=scratch)
    commands.beat()
    await commands.close()


@pytest.fixture
def ice() -> Iterator[Path]:
    """A cgroup in which SIGKILL waits: what is in it cannot be killed until it thaws."""
    if not IS_ROOT or not (FREEZER / "cgroup.procs").exists():
        pytest.skip("needs root and the first version of the freezer cgroup")
    group = FREEZER / f"headrace-test-{os.getpid()}"
    group.mkdir()
    yield group
    (group / "freezer.state").write_text("THAWED")
    group.rmdir()


async def test_a_process_that_cannot_be_killed_is_named_and_the_attempt_given_back(
    commands: CommandExecutor, tmp_path: Path, ice: Path
) -> None:
    task, pids = await begin(commands, "family", tmp_path / "up", kill_grace=0)
    (ice / "cgroup.procs").write_text(str(pids[1]))
    (ice / "freezer.state").write_text("FROZEN")
    task.cancel()
    end = await task
    assert end.unkillable == (pids[1],)
    assert ended(pids[0])
    assert ended(pids[2])
    assert not ended(pids[1])
    assert (await run(commands, shell("true")))[0].exit_code == 0
    (ice / "freezer.state").write_text("THAWED")
    await gone(pids)
