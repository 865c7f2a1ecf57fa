"""Running an SQL job: its notices become lines, its answer an outcome."""

from __future__ import annotations

import logging

from headrace.executors.sql.executor import SqlExecutor
from headrace.executors.sql.function import SqlFunction
from headrace.model.job.outcome import Outcome
from headrace.model.job.record import FunctionName
from headrace.model.log.line import NOTICE
from headrace.worker.claim.slots import Run

LEVELS = {
    "DEBUG": logging.DEBUG,
    "LOG": logging.INFO,
    "INFO": logging.INFO,
    "NOTICE": logging.INFO,
    "WARNING": logging.WARNING,
}


async def run_sql(executor: SqlExecutor, name: FunctionName, run: Run, *, kill_grace: float) -> Outcome:
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
