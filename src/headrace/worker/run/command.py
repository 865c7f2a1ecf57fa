"""Running a command job: its output becomes lines, its end an outcome."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

from headrace.executors.command.attempt import how_it_stopped
from headrace.executors.command.executor import CommandExecutor
from headrace.executors.command.launch import Ended
from headrace.model.job.outcome import Fail, Failed, Outcome, Released, Retry, Succeeded, TimedOut
from headrace.model.log.run_log import RunLog
from headrace.model.text import NotJsonError, to_json
from headrace.worker.claim.slots import Run
from headrace.worker.run.command_handler import CommandHandler
from headrace.worker.run.job_executor import JobExecutor, Tools
from headrace.worker.run.output import RunOutput


class CommandJobs(JobExecutor):
    """Commands of this machine's configuration."""

    def __init__(self, tools: Tools) -> None:
        self._commands = CommandExecutor(lease=tools.lease)

    async def run(self, run: Run) -> Outcome:
        return await _run(self._commands, run.handler, run)

    def passed_secrets(self, handler: CommandHandler) -> list[str]:
        return handler.passed_secrets

    def grace(self, handler: CommandHandler) -> float:
        return handler.settings.kill_grace_seconds

    def live(self) -> None:
        """Each beat keeps the monitors from ending their commands."""
        self._commands.beat()

    async def close(self) -> None:
        await self._commands.close()


async def _run(executor: CommandExecutor, handler: CommandHandler, run: Run) -> Outcome:
    """The outcome of an attempt; when cancelled it is gone before this raises."""
    launch = handler.launch(run.job)
    lines = run.context.lines()
    output = RunOutput(run.context, progress=handler.settings.progress)
    try:
        ended = await executor.run(launch, output.feed, lambda pids: _tell_still(lines, pids))
    except asyncio.CancelledError as stopped:
        output.end()
        run.detail = _detail(handler, how_it_stopped(stopped), output)
        raise
    output.end()
    run.detail = _detail(handler, ended, output)
    if ended.leftovers and lines is not None:
        lines.write(f"left running by the command and ended: {ended.leftovers} processes", level=logging.WARNING)
    if ended.unkillable and lines is not None:
        pids = ", ".join(map(str, ended.unkillable))
        lines.write(f"processes that cannot be killed were left behind: {pids}", level=logging.ERROR)
    return _outcome(handler, ended, output, lines)


def _tell_still(lines: RunLog | None, pids: str) -> None:
    """Whoever started them may let them go on, so the command is not ended for them."""
    if lines is None:
        return
    if not pids:
        lines.write("no process of the command is stopped any more")
        return
    advice = (
        "if nothing continues it (SIGCONT), the command may never end: cancel the job, or give the command a timeout"
    )
    lines.write(f"stopped by a signal (SIGSTOP): process {pids}; {advice}", level=logging.WARNING)


def _outcome(handler: CommandHandler, ended: Ended, output: RunOutput, lines: RunLog | None) -> Outcome:
    codes = handler.settings.exit_codes
    if ended.cannot_execute is not None:
        return Failed(f"cannot execute {handler.settings.argv[0]}: {ended.cannot_execute}")
    if ended.stopped:
        return Released("the command was stopped: this worker is closing, or lost its lease")
    if ended.timed_out:
        return TimedOut(f"timed out after {ended.duration:.1f} s")
    if ended.stood_still:
        return Failed("its process was stopped by a signal (SIGSTOP) and did not go on: it was ended")
    if ended.exit_code is None:
        return Failed(f"killed by signal {ended.signal}, not by us{': out of memory?' if ended.signal == 9 else ''}")
    if ended.exit_code in codes.success:
        return Succeeded(_result(handler, ended, output, lines))
    reason = f"exit code {ended.exit_code}"
    if ended.exit_code in codes.retry:
        return Retry(None, reason)
    if ended.exit_code in codes.fail:
        return Fail(reason)
    return Failed(reason)


def _result(handler: CommandHandler, ended: Ended, output: RunOutput, lines: RunLog | None) -> str | None:
    """The result as JSON text; one that is none is warned of, and is no failure."""
    wanted = handler.settings.result
    if wanted is None:
        return None
    text = (output.last_line or None) if wanted == "last_line" else ended.result
    if text is None:
        return None
    if wanted == "last_line" and not _is_object(str(text)):
        if lines is not None:
            lines.write("the last line of stdout is not a JSON object: the job has no result", level=logging.WARNING)
        return None
    try:
        return to_json(json.loads(text))
    except (ValueError, RecursionError, NotJsonError) as error:
        if lines is not None:
            where = "result file" if wanted == "file" else "last line of stdout"
            lines.write(f"the {where} is not JSON of at most 1 MB: {error}", level=logging.WARNING)
        return None


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _detail(handler: CommandHandler, ended: Ended | None, output: RunOutput) -> dict[str, Any]:
    known: dict[str, Any] = {"argv_hash": handler.argv_hash, **output.tails()}
    if ended is not None:
        known |= {
            "exit_code": ended.exit_code,
            "signal": ended.signal,
            "pid": ended.pid,
            "duration_seconds": round(ended.duration, 3),
            "cpu_seconds": round(ended.cpu_seconds, 3),
            "peak_memory_bytes": ended.peak_memory_bytes,
            "leftovers": ended.leftovers,
        }
    return known
