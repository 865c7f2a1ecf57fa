"""Running a Python job that does not run in the loop: in a thread, or in a process of its own."""

from __future__ import annotations

from typing import Any

from headrace.define.handler import Handler
from headrace.executors.process import ProcessExecutor
from headrace.executors.threads import ThreadExecutor
from headrace.worker.claim.slots import Run
from headrace.worker.run.job_executor import JobExecutor, Tools
from headrace.worker.run.output import RunOutput


class PythonJobs(JobExecutor):
    """Functions of the application. The runner itself awaits those that run in its loop."""

    def __init__(self, tools: Tools) -> None:
        self._threads = ThreadExecutor(on_stuck=tools.on_stuck)
        self._processes = ProcessExecutor(kill_grace=tools.kill_grace)

    async def run(self, run: Run) -> Any:
        handler: Handler = run.handler
        if handler.isolation == "process":
            return await self._isolated(handler, run)
        return await self._threads.run(handler.function, handler.bind(run.job.payload, run.context))

    async def _isolated(self, handler: Handler, run: Run) -> Any:
        output: RunOutput | None = None

        def on_output(stream: str, data: bytes) -> float | None:
            nonlocal output
            output = output or RunOutput(run.context)
            return output.feed(stream, data)

        try:
            return await self._processes.run(handler, run.job.payload, run.context, on_output)
        finally:
            if output is not None:
                output.end()

    def can_be_ended(self, handler: Handler) -> bool:
        """A thread cannot: it stops only when its function looks at `ctx.canceled`."""
        return handler.is_async or handler.isolation == "process"

    async def close(self) -> None:
        self._threads.close()
        await self._processes.close()
