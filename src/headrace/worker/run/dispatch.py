"""How each kind of definition is run: Python in the loop, a thread or a process, commands, SQL functions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from headrace.define.handler import Handler
from headrace.executors.command.executor import CommandExecutor
from headrace.executors.process import ProcessExecutor
from headrace.executors.sql.executor import SqlExecutor
from headrace.executors.threads import ThreadExecutor
from headrace.model.job.outcome import Released
from headrace.model.job.record import ClaimedJob
from headrace.model.payload.stored_json import read_object
from headrace.model.secret.encryption import NO_KEY, SecretBox, decrypt_fields
from headrace.model.secret.mask_outcome import masker_for
from headrace.model.secret.masking import Masker
from headrace.worker.claim.slots import Run
from headrace.worker.run.command import run_command
from headrace.worker.run.command_handler import CommandHandler
from headrace.worker.run.output import RunOutput
from headrace.worker.run.sql import run_sql

AnyHandler = Handler | CommandHandler


class ExecutorDispatch:
    """What this worker can run, and with what."""

    def __init__(
        self,
        handlers: Mapping[str, AnyHandler],
        *,
        threads: ThreadExecutor,
        kill_grace: float,
        commands: CommandExecutor,
        sql: SqlExecutor | None = None,
        box: SecretBox = NO_KEY,
    ) -> None:
        self._handlers = handlers
        self._known: dict[str, AnyHandler] = {}
        self._threads = threads
        self._kill_grace = kill_grace
        self._processes = ProcessExecutor(kill_grace=kill_grace)
        self._commands = commands
        self._sql = sql
        self._box = box
        # One thread: more of them would only take the interpreter from each other, and from the loop.
        self._aside = ThreadPoolExecutor(1, "headrace-aside")

    def find(self, definition: str) -> AnyHandler | None:
        """The handler of a definition. Remembered: asking several mappings takes longer than a no-op job may."""
        handler = self._known.get(definition)
        if handler is None:
            handler = self._handlers.get(definition)
            if handler is not None:
                self._known[definition] = handler
        return handler

    def forget(self) -> None:
        """Handlers have changed."""
        self._known.clear()

    def open_secrets(self, job: ClaimedJob, handler: AnyHandler) -> ClaimedJob:
        """The job with its secret fields decrypted, or `CannotDecrypt`."""
        payload = decrypt_fields(
            read_object(job.payload), handler.secret_fields, self._box, tenant=job.tenant, definition=job.definition
        )
        return job._replace(payload=json.dumps(payload))

    async def call(self, run: Run) -> Any:
        """The handler's value, or an outcome."""
        job = run.job
        if job.terms.function is not None and self._sql is not None:
            return await run_sql(self._sql, job.terms.function, run, kill_grace=self._kill_grace)
        handler = run.handler
        if handler is None:
            return Released("its command was taken out of the configuration")
        if isinstance(handler, CommandHandler):
            return await run_command(self._commands, handler, run)
        if handler.isolation == "process":
            return await self._isolated(handler, run)
        return await self._threads.run(handler.function, handler.bind(job.payload, run.context))

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

    def masker(self, job: ClaimedJob) -> Masker:
        """What must not be seen of what the job says."""
        handler = self.find(job.definition)
        if handler is None:
            return masker_for(job.payload)
        passed = handler.passed_secrets if isinstance(handler, CommandHandler) else ()
        return masker_for(job.payload, handler.secrets, passed)

    async def masker_aside(self, job: ClaimedJob) -> Masker:
        """The same beside the loop, for a payload that takes a while to look through."""
        return await asyncio.get_running_loop().run_in_executor(self._aside, self.masker, job)

    def can_be_ended(self, job: ClaimedJob) -> bool:
        """Whether a run that is given up is really gone."""
        handler = self.find(job.definition)
        return not isinstance(handler, Handler) or handler.is_async or handler.isolation == "process"

    def grace(self, job: ClaimedJob) -> float:
        """How long a run may take to stop before it is told again."""
        handler = self.find(job.definition)
        own = handler.settings.kill_grace_seconds if isinstance(handler, CommandHandler) else 0.0
        return max(self._kill_grace, own, 0.1)

    def live(self) -> None:
        """The lease is held; told from the heartbeat's thread."""
        self._commands.beat()

    async def close(self) -> None:
        """End whatever still runs."""
        self._aside.shutdown(wait=False)
        await self._processes.close()
        await self._commands.close()
        if self._sql is not None:
            await self._sql.close()
