"""What becomes of commands when those who keep them are killed or fall silent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.executors.command.running import LINUX_ONLY, begin, children, gone, parent, run, shell
from tests.executors.doing import ended
from tests.waiting import until, wait_until

from headrace.executors.command.executor import CommandExecutor, MonitorDied

pytestmark = LINUX_ONLY
ROOT = Path(__file__).parents[3]


@contextmanager
def doomed_worker(scratch: Path, folder: Path, *, lease: float) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """A worker with five commands that ignore SIGTERM, and the processes of these."""
    files = [folder / f"up-{number}" for number in range(5)]
    fork = folder / "up-0-fork"
    command = [sys.executable, "-m", "tests.executors.command.doomed_worker", str(scratch), str(lease)]
    with subprocess.Popen([*command, *map(str, files)], cwd=ROOT) as worker:
        try:
            wait_until("all commands run", lambda: fork.exists() or worker.poll() is not None)
            yield worker, [pid for file in files for pid in json.loads(file.read_text())]
        finally:
            worker.kill()
            os.kill(json.loads(fork.read_text())[0], signal.SIGKILL)


def test_all_is_gone_when_the_worker_is_killed(scratch: Path, tmp_path: Path) -> None:
    with doomed_worker(scratch, tmp_path, lease=3600) as (worker, pids):
        keepers = {parent(pid) for pid in pids[::2]} | {parent(parent(pids[0]))}
        worker.kill()
        wait_until("commands, monitors and spawner are gone", lambda: all(ended(pid) for pid in [*pids, *keepers]))
    assert len(keepers) == 6


def test_all_is_gone_when_worker_and_spawner_are_killed(scratch: Path, tmp_path: Path) -> None:
    with doomed_worker(scratch, tmp_path, lease=3600) as (worker, pids):
        monitors = {parent(pid) for pid in pids[::2]}
        os.kill(parent(parent(pids[0])), signal.SIGKILL)
        worker.kill()
        wait_until("commands and monitors are gone", lambda: all(ended(pid) for pid in [*pids, *monitors]))


@pytest.mark.parametrize("spawner", ["alive", "killed"])
def test_all_is_gone_when_the_worker_is_stopped_past_its_lease(scratch: Path, tmp_path: Path, spawner: str) -> None:
    with doomed_worker(scratch, tmp_path, lease=2.0) as (worker, pids):
        if spawner == "killed":
            os.kill(parent(parent(pids[0])), signal.SIGKILL)
        assert not any(ended(pid) for pid in pids)
        worker.send_signal(signal.SIGSTOP)
        wait_until("all commands are gone", lambda: all(ended(pid) for pid in pids))
        wait_until("nothing is left of them", lambda: not list(scratch.iterdir()))


async def test_a_command_whose_worker_does_not_beat_is_ended(scratch: Path, tmp_path: Path) -> None:
    commands = CommandExecutor(lease=0.5, scratch=scratch)
    task, pids = await begin(commands, "deaf", tmp_path / "up", kill_grace=3600)
    end = await task
    assert all(ended(pid) for pid in pids)
    assert (end.stopped, end.timed_out, end.signal) == (True, False, signal.SIGKILL)
    commands.beat()
    assert (await run(commands, shell("exit 3")))[0].exit_code == 3
    await commands.close()


async def test_the_tree_of_a_killed_monitor_is_ended_and_the_run_fails_after_that(
    commands: CommandExecutor, tmp_path: Path
) -> None:
    task, pids = await begin(commands, "family", tmp_path / "up")
    os.kill(parent(pids[0]), signal.SIGKILL)
    with pytest.raises(MonitorDied, match=r"^The command's monitor was killed"):
        await task
    assert all(ended(pid) for pid in pids)
    assert (await run(commands, shell("exit 3")))[0].exit_code == 3


async def test_a_killed_spawner_is_replaced_and_its_monitors_go_on(commands: CommandExecutor, tmp_path: Path) -> None:
    task, pids = await begin(commands, "polite", tmp_path / "up", kill_grace=3600)
    spawner = parent(parent(pids[0]))
    # A server of the tests may be a child of this process too.
    others = children(os.getpid()) - {spawner}
    os.kill(spawner, signal.SIGKILL)
    assert (await run(commands, shell("exit 3")))[0].exit_code == 3
    [_new] = children(os.getpid()) - others - {spawner}
    assert not ended(pids[0])
    task.cancel()
    assert (await task).exit_code == 0


async def test_a_spawner_that_is_killed_again_and_again_loses_no_launch(commands: CommandExecutor) -> None:
    for _ in range(5):
        assert (await run(commands, shell("true")))[0].exit_code == 0
        assert commands._spawner is not None
        os.kill(commands._spawner.pid, signal.SIGKILL)


async def test_a_spawner_that_does_not_answer_is_replaced(
    commands: CommandExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headrace.executors.command.executor.GREETING", 1.0)
    assert (await run(commands, shell("true")))[0].exit_code == 0
    assert commands._spawner is not None
    silent = commands._spawner.pid
    os.kill(silent, signal.SIGSTOP)
    assert (await run(commands, shell("exit 3")))[0].exit_code == 3
    assert ended(silent)


async def test_a_daemon_that_lost_its_monitor_and_its_leader_is_ended(
    commands: CommandExecutor, tmp_path: Path
) -> None:
    task, pids = await begin(commands, "family", tmp_path / "up")
    monitor = parent(pids[0])
    os.kill(monitor, signal.SIGSTOP)  # so that it cannot see how the command is killed
    os.kill(pids[0], signal.SIGKILL)
    os.kill(monitor, signal.SIGKILL)
    with pytest.raises(MonitorDied):
        await task
    await gone(pids)
    await until("the spawner has nothing left", lambda: not children(commands._spawner.pid if commands._spawner else 0))
