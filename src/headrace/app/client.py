"""The verbs of an application, over the database that is open in this process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import timedelta
from typing import Any, Unpack
from uuid import UUID

from headrace.app.awaited import awaited
from headrace.app.open_here import OpenHere
from headrace.app.registry import Registry
from headrace.db.borrowed import fetch_column
from headrace.errors import BadRequest, ValidationError
from headrace.model.job.enqueue_options import EnqueueManyOptions, EnqueueOptions
from headrace.model.job.job import Job
from headrace.model.job.request import JobRequest
from headrace.model.text import NotJsonError
from headrace.queue.change import cancel_job, retry_job
from headrace.queue.enqueue import Alike, Origin, alone, enqueue_alike
from headrace.queue.read import get_job
from headrace.triggers.emit import emit_parameters, emit_statement, emitting


class Client:
    """Enqueue, publish, look, wait, cancel, retry."""

    def __init__(self, registry: Registry, here: OpenHere) -> None:
        self.registry = registry
        self._here = here

    @awaited
    async def enqueue(
        self, key: str, payload: Mapping[str, Any] | None = None, **options: Unpack[EnqueueOptions]
    ) -> UUID:
        """One job; gives back its id, or that of the job that already holds its key."""
        said, origin, connection = _split(options)
        text = self._payload(key, payload or {}, origin.tenant)
        one = alone(JobRequest(definition=key, **said), text)
        async with self._on(connection) as conn:
            return (await enqueue_alike(conn, [one], origin))[0]

    @awaited
    async def enqueue_many(
        self, key: str, payloads: Iterable[Mapping[str, Any]], **options: Unpack[EnqueueManyOptions]
    ) -> list[UUID]:
        """Many jobs of one definition in one statement; gives back their ids, in order."""
        said, origin, connection = _split(options)
        keys = said.pop("dedupe_keys", None), said.pop("idempotency_keys", None)
        texts = [self._payload(key, payload, origin.tenant) for payload in payloads]
        many = Alike(JobRequest(definition=key, **said), texts, *keys)
        async with self._on(connection) as conn:
            return await enqueue_alike(conn, [many], origin)

    @awaited
    async def emit(
        self,
        name: str,
        data: Mapping[str, Any] | None = None,
        *,
        tenant: str = "default",
        correlation_id: str | None = None,
        idempotency_key: str | None = None,
        connection: Any = None,
    ) -> UUID:
        """Publish an event, with `connection` in your own transaction; gives back its id. A key gives one event."""
        parameters = emit_parameters(name, data, tenant=tenant, correlation_id=correlation_id)
        with emitting(name, tenant=tenant, correlation_id=correlation_id) as trace:
            async with self._on(connection) as conn:
                return (await fetch_column(conn, *emit_statement(parameters, trace, idempotency_key)))[0]

    @awaited
    async def get_job(self, job_id: UUID | str) -> Job:
        """The job as it stands, or `NotFound`."""
        async with self._on() as conn:
            return await get_job(conn, as_id(job_id))

    @awaited
    async def wait(self, job_id: UUID | str, timeout: timedelta | float | None = None) -> Job:
        """The job once it has ended, or `TimeoutError`."""
        seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
        return await self._here.waiting.until_ended(as_id(job_id), seconds)

    @awaited
    async def cancel(self, job_id: UUID | str) -> bool:
        """True when it is canceled or told to stop; false when it had already ended."""
        async with self._on() as conn:
            return await cancel_job(conn, as_id(job_id))

    @awaited
    async def retry(self, job_id: UUID | str) -> bool:
        """True when it waits to run again; false when it has not ended."""
        async with self._on() as conn:
            return await retry_job(conn, as_id(job_id))

    def _payload(self, key: str, payload: Mapping[str, Any], tenant: str) -> str:
        try:
            return self.registry.payload(key, payload, tenant=tenant)
        except NotJsonError as error:
            raise ValidationError(f"the payload of {key!r} cannot be stored: {error}") from None

    def _on(self, connection: Any = None) -> AbstractAsyncContextManager[Any]:
        """The caller's own connection, or else one of ours."""
        return self._here.database.pool.acquire() if connection is None else nullcontext(connection)


def _split(options: EnqueueOptions | EnqueueManyOptions) -> tuple[dict[str, Any], Origin, Any]:
    """What is asked of the job, whose it is, and the caller's own connection."""
    said = dict[str, Any](options)
    delay = said.pop("delay", None)
    said["delay_seconds"] = delay.total_seconds() if isinstance(delay, timedelta) else delay
    origin = Origin(tenant=said.pop("tenant", "default"))
    return said, origin, said.pop("connection", None)


def as_id(job_id: UUID | str) -> UUID:
    """The id, or an error that says it is none."""
    if isinstance(job_id, UUID):
        return job_id
    try:
        return UUID(job_id)
    except ValueError:
        raise BadRequest(f"{job_id!r} is not a job id") from None
