"""Which executor runs a job: one for each kind of definition."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from headrace.define.handler import Handler
from headrace.model.definition import Kind
from headrace.model.job.outcome import Released
from headrace.model.job.record import ClaimedJob
from headrace.model.payload.stored_json import read_object
from headrace.model.secret.encryption import NO_KEY, SecretBox, decrypt_fields
from headrace.model.secret.mask_outcome import masker_for
from headrace.model.secret.masking import Masker
from headrace.worker.claim.slots import Run
from headrace.worker.run.command import CommandJobs
from headrace.worker.run.command_handler import CommandHandler
from headrace.worker.run.job_executor import JobExecutor, Tools
from headrace.worker.run.python import PythonJobs
from headrace.worker.run.sql import SqlJobs

AnyHandler = Handler | CommandHandler

# A new kind of job is a name in `model.definition.Kind` and its executor here.
EXECUTORS: Mapping[Kind, Callable[[Tools], JobExecutor]] = {
    "python": PythonJobs,
    "command": CommandJobs,
    "sql": SqlJobs,
}


class ExecutorDispatch:
    """What this worker can run, and with what."""

    def __init__(self, handlers: Mapping[str, AnyHandler], tools: Tools, *, box: SecretBox = NO_KEY) -> None:
        self._handlers = handlers
        self._known: dict[str, AnyHandler] = {}
        self._kill_grace = tools.kill_grace
        self._executors = {kind: make(tools) for kind, make in EXECUTORS.items()}
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
        if run.job.terms.function is not None:
            return await self._executors["sql"].run(run)
        if run.handler is None:
            return Released("the command was removed from the configuration")
        return await self._executor(run.handler).run(run)

    def masker(self, job: ClaimedJob, handler: AnyHandler | None) -> Masker:
        """What must not be seen of what the job says."""
        if handler is None:
            return masker_for(job.payload)
        return masker_for(job.payload, handler.secrets, self._executor(handler).passed_secrets(handler))

    async def masker_aside(self, run: Run) -> Masker:
        """The same beside the loop, for a payload that takes a while to look through."""
        return await asyncio.get_running_loop().run_in_executor(self._aside, self.masker, run.job, run.handler)

    def can_be_ended(self, run: Run) -> bool:
        """Whether a run that is given up is really gone."""
        return run.handler is None or self._executor(run.handler).can_be_ended(run.handler)

    def grace(self, run: Run) -> float:
        """How long a run may take to stop before it is asked again."""
        own = 0.0 if run.handler is None else self._executor(run.handler).grace(run.handler)
        return max(self._kill_grace, own, 0.1)

    def live(self) -> None:
        """The lease is held. Called from the heartbeat's thread."""
        for executor in self._executors.values():
            executor.live()

    async def close(self) -> None:
        """End whatever still runs."""
        self._aside.shutdown(wait=False)
        for executor in self._executors.values():
            await executor.close()

    def _executor(self, handler: AnyHandler) -> JobExecutor:
        return self._executors[handler.definition.kind]
