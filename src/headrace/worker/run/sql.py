"""Running an SQL job: its notices become lines, its answer an outcome."""

from __future__ import annotations

import logging

from headrace.executors.sql.executor import SqlExecutor
from headrace.executors.sql.function import SqlFunction
from headrace.model.job.outcome import Outcome, Released
from headrace.model.job.record import FunctionName
from headrace.model.log.line import NOTICE
from headrace.worker.claim.slots import Run
from headrace.worker.run.job_executor import JobExecutor, Tools

LEVELS = {
    "DEBUG": logging.DEBUG,
    "LOG": logging.INFO,
    "INFO": logging.INFO,
    "NOTICE": logging.INFO,
    "WARNING": logging.WARNING,
}


class SqlJobs(JobExecutor):
    """Functions of the database."""

    def __init__(self, tools: Tools) -> None:
        self._sql = tools.sql
        self._kill_grace = tools.kill_grace

    async def run(self, run: Run) -> Outcome:
        if self._sql is None or run.job.terms.function is None:
            return Released("this worker runs no SQL jobs")
        return await _run(self._sql, run.job.terms.function, run, kill_grace=self._kill_grace)

    async def close(self) -> None:
        if self._sql is not None:
            await self._sql.close()


async def _run(executor: SqlExecutor, name: FunctionName, run: Run, *, kill_grace: float) -> Outcome:
    """The outcome of a call; when cancelled its backend is gone before this raises."""

    def on_notice(severity: str, message: str) -> None:
        lines = run.context.lines()
        if lines is not None:
            lines.write(message, level=LEVELS.get(severity, logging.INFO), stream=NOTICE)

    function = SqlFunction(name.schema, name.name, "(jsonb)" if name.signature == "(jsonb)" else "()")
    ended = await executor.run(
        function, run.job.payload, timeout=run.job.terms.timeout, kill_grace=kill_grace, on_notice=on_notice
    )
    run.detail = {"committed": ended.committed}
    if ended.sqlstate is not None:
        run.detail["sqlstate"] = ended.sqlstate
    if ended.answer is not None:
        run.detail["answer"] = ended.answer
    return ended.outcome
