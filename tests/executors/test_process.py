"""What comes back from a handler in a child process."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.executors import isolated_jobs as jobs
from tests.executors.doing import JOB_ID, PLANNED, Reports, call, context, ended, open_files
from tests.waiting import until

from headrace.executors import process
from headrace.executors.process import ChildDied, ChildRaised, NotIsolable, ProcessExecutor
from headrace.model.job.outcome import Cancel, Fail, Retry, Snooze
from headrace.model.text import NotJsonError

SCRIPT = Path(__file__).with_name("script.py")


async def test_a_value_comes_back_as_it_went(executor: ProcessExecutor) -> None:
    value = {"n": 1.5, "text": "zażółć 🚰 \ud800", "list": [None, True, {}]}
    assert await call(executor, jobs.length, text=value["text"]) == 10
    value["text"] = "zażółć 🚰"
    assert await call(executor, jobs.echo, **value) == value


async def test_an_async_handler_runs_on_a_loop_of_its_own(executor: ProcessExecutor) -> None:
    assert await call(executor, jobs.echo_async, to="you") == {"to": "you"}


async def test_the_context_tells_of_the_job(executor: ProcessExecutor) -> None:
    told = await call(executor, jobs.about)
    assert told == [str(JOB_ID), 7, PLANNED.isoformat(), 3, 5, "acme", "mail", "order-1", "schedule"]


async def test_a_warm_child_is_used_again(executor: ProcessExecutor) -> None:
    assert await call(executor, jobs.pid) == await call(executor, jobs.pid)


async def test_a_child_is_replaced_after_many_jobs(executor: ProcessExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "JOBS_PER_CHILD", 2)
    first, second, third = [await call(executor, jobs.pid) for _ in range(3)]
    assert first == second != third
    await until("the old child is gone", lambda: ended(first))


async def test_runs_at_the_same_time_are_in_separate_children(executor: ProcessExecutor, tmp_path: Path) -> None:
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    pids = await asyncio.gather(
        call(executor, jobs.meet, mine=one, yours=two), call(executor, jobs.meet, mine=two, yours=one)
    )
    assert len(set(pids)) == 2


async def test_an_exception_comes_back_with_its_traceback(executor: ProcessExecutor) -> None:
    with pytest.raises(ChildRaised, match=r"^ZeroDivisionError: division by zero$") as caught:
        await call(executor, jobs.divide, by=0)
    assert "return 1 / by" in (caught.value.traceback or "")
    assert await call(executor, jobs.divide, by=2) == 0.5


async def test_a_handler_that_exits_has_raised(executor: ProcessExecutor) -> None:
    first = await call(executor, jobs.pid)
    with pytest.raises(ChildRaised, match=r"^SystemExit: enough$"):
        await call(executor, jobs.exit_early)
    assert await call(executor, jobs.pid) == first


async def test_a_value_that_is_not_json_is_refused(executor: ProcessExecutor) -> None:
    with pytest.raises(NotJsonError, match="the result cannot be stored: set value is not JSON"):
        await call(executor, jobs.unstorable)


async def test_a_validation_error_of_the_handlers_own_is_an_exception_like_any_other(executor: ProcessExecutor) -> None:
    with pytest.raises(ChildRaised, match="ValidationError: by: not a number"):
        await call(executor, jobs.refuse)


@pytest.mark.parametrize("returned", [True, False])
async def test_what_a_handler_asks_for_comes_back(executor: ProcessExecutor, returned: bool) -> None:
    asked = {
        "retry": Retry(1.5, "busy"),
        "retry by policy": Retry(),
        "snooze": Snooze(60, "too early"),
        "cancel": Cancel("obsolete"),
        "fail": Fail("no such order"),
    }
    for what, expected in asked.items():
        with pytest.raises(type(expected)) as caught:
            await call(executor, jobs.ask, what=what, returned=returned)
        assert vars(caught.value) == vars(expected)


async def test_progress_arrives_in_order(executor: ProcessExecutor) -> None:
    reports: Reports = []
    await executor.run(jobs.report.handler, "{}", context(reports))
    assert reports == [(0.25, "a quarter"), (None, "nobody knows"), (1.0, None)]


async def test_a_thread_left_behind_cannot_report_for_the_next_job(executor: ProcessExecutor, tmp_path: Path) -> None:
    reports: Reports = []
    await call(executor, jobs.report_late, file=str(tmp_path / "go"))
    payload = json.dumps({"file": str(tmp_path / "go")})
    assert await executor.run(jobs.after_the_late_report.handler, payload, context(reports)) == "joined"
    assert reports == []


async def test_what_a_handler_prints_goes_to_the_workers_output(
    executor: ProcessExecutor, capfd: pytest.CaptureFixture[str]
) -> None:
    assert await call(executor, jobs.shout) == ""
    printed = capfd.readouterr()
    assert printed.out == "to stdout\npast Python\n"
    assert printed.err == "to stderr\n"


async def test_large_payloads_and_results_pass(executor: ProcessExecutor) -> None:
    assert await call(executor, jobs.length, text="x" * 5_000_000) == 5_000_000
    assert len(await call(executor, jobs.text, length=900_000)) == 900_000


async def test_a_function_that_a_child_cannot_find_is_refused(executor: ProcessExecutor) -> None:
    def local() -> None: ...

    for function in (lambda: None, local):
        with pytest.raises(NotIsolable, match="move the function to module level"):
            await executor.run(jobs.Handler(function), "{}", context())
    with pytest.raises(NotIsolable, match=r"must be what @hr.job returned"):
        await executor.run(jobs.Handler(jobs.announce), "{}", context())
    assert not executor._children


@pytest.mark.parametrize(
    ("how", "name"),
    [([str(SCRIPT)], "__mp_main__"), (["-m", "tests.executors.script"], "tests.executors.script")],
)
def test_a_job_in_the_main_module_is_found(how: list[str], name: str) -> None:
    assert run_python(*how).stdout.split() == [name, "True"]


def test_a_script_that_starts_its_worker_unguarded_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(SCRIPT.read_text().replace('if __name__ == "__main__":', "if True:"))
    assert "start it under `if __name__ == '__main__':`" in run_python(str(script)).stderr


def test_it_works_on_uvloop_too(tmp_path: Path) -> None:
    uvloop = pytest.importorskip("uvloop")

    async def use() -> None:
        executor = ProcessExecutor(kill_grace=0.2)
        assert await call(executor, jobs.echo_async, to="you") == {"to": "you"}
        with pytest.raises(ChildDied, match="signal 9"):
            await call(executor, jobs.kill_yourself)
        pid = await call(executor, jobs.pid)
        await executor.close()
        assert ended(pid)

    uvloop.run(use())


async def test_nothing_leaks() -> None:
    async def use() -> None:
        executor = ProcessExecutor()
        await call(executor, jobs.echo)
        with pytest.raises(ChildDied):
            await call(executor, jobs.kill_yourself)
        await call(executor, jobs.echo)
        await executor.close()

    await use()  # what asyncio opens once and keeps is open from here on
    files, tasks = open_files(), len(asyncio.all_tasks())
    await use()
    assert (open_files(), len(asyncio.all_tasks())) == (files, tasks)


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script that imports from the tests, as its own worker."""
    environment: dict[str, Any] = {"env": {"PYTHONPATH": str(SCRIPT.parents[2])}}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, **environment)
