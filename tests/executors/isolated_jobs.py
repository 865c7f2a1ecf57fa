"""Jobs for child processes to run, declared with a stand-in for `@hr.job`."""

from __future__ import annotations

import asyncio
import ctypes
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

from headrace.context import Context
from headrace.errors import ValidationError
from headrace.model.job.outcome import Cancel, Fail, Retry, Snooze
from headrace.model.secret.schema import NO_SECRETS


class Handler:
    """As much of a handler as a child needs."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.definition = SimpleNamespace(payload_schema={})
        self.secrets = NO_SECRETS

    def invoke(self, payload: str, context: Context) -> Any:
        """Call the function."""
        return self.function(context, **json.loads(payload))


class Job:
    """What stands at module level in the function's place."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.handler = Handler(function)


def announce(file: str, *pids: int) -> None:
    """Tell the test which processes are up, in one step."""
    draft = Path(f"{file}.draft")
    draft.write_text(json.dumps(pids or [os.getpid()]))
    draft.rename(file)


def wait_for_ever() -> NoReturn:
    """Block the main thread, whatever signals come."""
    while True:
        threading.Event().wait()


@Job
def echo(_ctx: Context, **arguments: Any) -> Any:
    return arguments


@Job
async def echo_async(_ctx: Context, **arguments: Any) -> Any:
    await asyncio.sleep(0)
    return arguments


@Job
def pid(_ctx: Context) -> int:
    return os.getpid()


@Job
def text(_ctx: Context, length: int) -> str:
    return "x" * length


@Job
def length(_ctx: Context, text: str) -> int:
    return len(text)


@Job
def about(ctx: Context) -> list[Any]:
    planned = ctx.scheduled_for.isoformat() if ctx.scheduled_for else None
    known = [ctx.attempt, ctx.max_attempts, ctx.tenant, ctx.definition, ctx.correlation_id, ctx.triggered_by]
    return [str(ctx.job_id), ctx.fencing_token, planned, *known]


@Job
def divide(_ctx: Context, by: int) -> float:
    return 1 / by


@Job
def exit_early(_ctx: Context) -> None:
    sys.exit("enough")


@Job
def unstorable(_ctx: Context) -> Any:
    return {1, 2}


@Job
def refuse(_ctx: Context) -> None:
    raise ValidationError("by: not a number")


@Job
def ask(_ctx: Context, what: str, returned: bool = False) -> Any:
    asked = {
        "retry": Retry(1.5, "busy"),
        "retry by policy": Retry(),
        "snooze": Snooze(60, "too early"),
        "cancel": Cancel("obsolete"),
        "fail": Fail("no such order"),
    }[what]
    if returned:
        return asked
    raise asked


@Job
def report(ctx: Context) -> None:
    ctx.progress(0.25, "a quarter")
    ctx.progress(None, "nobody knows")
    ctx.progress(1.0)


@Job
def report_late(ctx: Context, file: str) -> None:
    """Leave a thread that reports when its job is over."""

    def wait_and_report() -> None:
        while not Path(file).exists():
            pass
        ctx.progress(0.5, "from the job before")

    threading.Thread(target=wait_and_report, name="late", daemon=True).start()


@Job
def after_the_late_report(_ctx: Context, file: str) -> str:
    Path(file).touch()
    for thread in threading.enumerate():
        if thread.name == "late":
            thread.join()
    return "joined"


@Job
def shout(_ctx: Context) -> str:
    print("to stdout", flush=False)
    print("to stderr", file=sys.stderr)
    os.write(1, b"past Python\n")
    return sys.stdin.read()


@Job
def block(_ctx: Context, file: str) -> None:
    announce(file)
    wait_for_ever()


@Job
def block_deaf(_ctx: Context, file: str) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    announce(file)
    wait_for_ever()


@Job
def hold_the_gil(_ctx: Context, file: str) -> None:
    announce(file, os.getpid(), _sleeper())
    sum(itertools.repeat(1))


@Job
def block_with_family(_ctx: Context, file: str) -> None:
    announce(file, os.getpid(), _sleeper())
    wait_for_ever()


@Job
def fork_and_die(_ctx: Context, file: str) -> None:
    """Die while a forked process lives on."""
    forked = os.fork()
    if forked == 0:
        wait_for_ever()
    announce(file, forked)
    os._exit(4)


@Job
def return_twice(ctx: Context) -> int:
    """Fork, and come back from the handler in both processes."""
    forked = os.fork()
    if forked == 0:
        ctx.progress(0.5, "from the fork")
        return -1
    return os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1])


@Job
def terminate_a_fork(_ctx: Context) -> int:
    """How a forked process ends that gets a SIGTERM."""
    heard, said = os.pipe()
    forked = os.fork()
    if forked == 0:
        os.write(said, b"up")
        wait_for_ever()
    os.read(heard, 2)  # before that, Python drops signals that reach a process it has just forked
    os.kill(forked, signal.SIGTERM)
    return os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1])


@Job
def block_until_canceled(ctx: Context, file: str, proof: str) -> None:
    announce(file)
    while not ctx.canceled:
        pass
    Path(proof).write_text("saw it")


@Job
async def await_for_ever(ctx: Context, file: str, proof: str) -> None:
    announce(file)
    try:
        await asyncio.Event().wait()
    finally:
        Path(proof).write_text(f"cleaned up, canceled={ctx.canceled}")


@Job
def kill_yourself(_ctx: Context) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@Job
def crash(_ctx: Context) -> None:
    ctypes.string_at(0)


@Job
def stop_yourself(_ctx: Context) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


@Job
def recurse(_ctx: Context, deeper: bool) -> None:
    sys.setrecursionlimit(2**31 - 1 if deeper else 1000)

    def again(*_: object) -> Any:
        return max([again], key=again)  # each level takes room on the stack of C too

    again()


@Job
def end_with(_ctx: Context, code: int) -> None:
    os._exit(code)


@Job
def lose_the_line(_ctx: Context) -> None:
    os.closerange(3, 256)


@Job
def meet(_ctx: Context, mine: str, yours: str) -> int:
    """Return only if another run is under way at the same time."""
    Path(mine).touch()
    while not Path(yours).exists():
        pass
    return os.getpid()


def _sleeper() -> int:
    return subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"]).pid
