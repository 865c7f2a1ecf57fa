"""How handlers in child processes are ended, and what happens when they end by themselves."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.executors import isolated_jobs as jobs
from tests.executors.doing import Reports, begin, call, context, ended
from tests.waiting import until, wait_until

from headrace.executors import child_process
from headrace.executors.process import ChildDied, ChildRaised, ProcessExecutor

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("job", [jobs.block, jobs.block_deaf], ids=["blocking", "deaf"])
async def test_a_handler_that_does_not_stop_is_killed_after_the_grace(
    executor: ProcessExecutor, tmp_path: Path, job: jobs.Job
) -> None:
    task, [pid] = await begin(executor, job, tmp_path / "up")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended(pid)
    assert await call(executor, jobs.echo, n=1) == {"n": 1}


async def test_a_sync_handler_can_see_that_it_should_stop(patient: ProcessExecutor, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    task, [pid] = await begin(patient, jobs.block_until_canceled, tmp_path / "up", proof=str(proof))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert proof.read_text() == "saw it"
    assert ended(pid)


async def test_an_async_handler_is_cancelled_and_cleans_up(patient: ProcessExecutor, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    task, [pid] = await begin(patient, jobs.await_for_ever, tmp_path / "up", proof=str(proof))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert proof.read_text() == "cleaned up, canceled=True"
    assert ended(pid)


async def test_a_second_cancellation_does_not_wait_out_the_grace(patient: ProcessExecutor, tmp_path: Path) -> None:
    task, [pid] = await begin(patient, jobs.block, tmp_path / "up")
    task.cancel()
    await asyncio.wait({task}, timeout=0)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended(pid)


async def test_a_run_cancelled_while_its_child_starts_leaves_the_child_for_the_next(
    executor: ProcessExecutor,
) -> None:
    task = asyncio.create_task(call(executor, jobs.pid))
    await asyncio.wait({task}, timeout=0)
    assert executor._starting
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until("the child waits for a job", lambda: bool(executor._idle))
    assert await call(executor, jobs.echo) == {}
    assert len(executor._children) == 1


async def test_what_a_handler_started_ends_with_it(executor: ProcessExecutor, tmp_path: Path) -> None:
    task, pids = await begin(executor, jobs.block_with_family, tmp_path / "up")
    assert not any(ended(pid) for pid in pids)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until("the whole group is gone", lambda: all(ended(pid) for pid in pids))


async def test_a_child_killed_from_outside_gives_a_clear_error_and_is_replaced(executor: ProcessExecutor) -> None:
    first = await call(executor, jobs.pid)
    with pytest.raises(ChildDied, match=r"^the handler's process was killed by signal 9 \(out of memory\?\)$"):
        await call(executor, jobs.kill_yourself)
    assert await call(executor, jobs.pid) != first


async def test_an_exit_and_a_crash_give_a_clear_error(executor: ProcessExecutor) -> None:
    with pytest.raises(ChildDied, match=r"^the handler's process ended with exit code 3$"):
        await call(executor, jobs.end_with, code=3)
    with pytest.raises(ChildDied, match=r"was killed by signal 11 \(SIGSEGV\)$"):
        await call(executor, jobs.crash)


async def test_a_handler_that_stops_its_process_is_ended_and_replaced(
    executor: ProcessExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_process, "LOOK_EVERY", 0.05)
    with pytest.raises(
        ChildDied, match=r"^the handler's process was stopped \(SIGSTOP\) and did not go on: it was ended$"
    ):
        await call(executor, jobs.stop_yourself)
    assert await call(executor, jobs.echo, n=1) == {"n": 1}


async def test_a_handler_that_recurses_without_end_ends_alone(executor: ProcessExecutor) -> None:
    with pytest.raises(ChildRaised, match="RecursionError"):
        await call(executor, jobs.recurse, deeper=False)
    with pytest.raises(ChildDied, match=r"was killed by signal 11 \(SIGSEGV\)$"):
        await call(executor, jobs.recurse, deeper=True)


async def test_a_handler_that_closes_every_descriptor_does_not_hang_the_worker(executor: ProcessExecutor) -> None:
    with pytest.raises(ChildDied):
        await call(executor, jobs.lose_the_line)


async def test_a_forked_process_does_not_hide_the_death_of_the_child(executor: ProcessExecutor, tmp_path: Path) -> None:
    up = tmp_path / "up"
    with pytest.raises(ChildDied, match="exit code 4"):
        await call(executor, jobs.fork_and_die, file=str(up))
    [forked] = json.loads(up.read_text())
    await until("the forked process is gone", lambda: ended(forked))


async def test_a_forked_process_cannot_answer_or_report_for_the_child(executor: ProcessExecutor) -> None:
    reports: Reports = []
    assert await executor.run(jobs.return_twice.handler, "{}", context(reports)) == 0
    assert reports == []


async def test_a_forked_process_ends_on_sigterm(executor: ProcessExecutor) -> None:
    assert await call(executor, jobs.terminate_a_fork) == -15


# Only Linux can signal a process that holds the interpreter as its worker's pipe closes.
DYING_WITH_ITS_WORKER = ["block_with_family", *(["hold_the_gil"] if sys.platform == "linux" else [])]


@pytest.mark.parametrize("job", DYING_WITH_ITS_WORKER)
def test_children_end_when_the_worker_is_killed(tmp_path: Path, job: str) -> None:
    up = tmp_path / "up"
    command = [sys.executable, "-m", "tests.executors.doomed_worker", job, str(up)]
    with subprocess.Popen(command, cwd=ROOT) as worker:
        wait_until("the handler runs", lambda: up.exists() or worker.poll() is not None)
        worker.kill()
    pids = json.loads(up.read_text())
    wait_until("the child and what it started are gone", lambda: all(ended(pid) for pid in pids))


async def test_closing_leaves_no_process_behind(tmp_path: Path) -> None:
    executor = ProcessExecutor(kill_grace=0.2)
    task, [busy] = await begin(executor, jobs.block, tmp_path / "up")
    idle = await call(executor, jobs.pid)
    await executor.close()
    assert ended(busy)
    assert ended(idle)
    with pytest.raises(ChildDied, match="was asked to stop"):
        await task
    with pytest.raises(ChildDied, match="the worker is closing"):
        await call(executor, jobs.echo)


async def test_a_child_that_dies_while_idle_is_not_used(executor: ProcessExecutor) -> None:
    first = await call(executor, jobs.pid)
    [child] = executor._children
    child.kill()
    await until("the executor knows", lambda: not executor._children)
    assert await call(executor, jobs.pid) != first
