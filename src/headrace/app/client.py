"""The verbs of an application, over an open database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Unpack
from uuid import UUID

from headrace.app.registry import Registry
from headrace.app.wait import Waiting
from headrace.db.borrowed import fetch_column
from headrace.db.database import Database
from headrace.errors import BadRequest, ValidationError
from headrace.model.job.record import Job
from headrace.model.text import NotJsonError
from headrace.queue.change import cancel_job, retry_job
from headrace.queue.enqueue import ENQUEUE_MANY, EnqueueManyOptions, EnqueueOptions, EnqueueRequest
from headrace.queue.read import get_job
from headrace.triggers.emit import emit_parameters, emit_statement, emitting


class Client:
    """Enqueue, look, wait, cancel, retry."""

    def __init__(self, database: Database, registry: Registry) -> None:
        self._database = database
        self._registry = registry
        self._waiting = Waiting(database)

    async def enqueue(
        self, key: str, payload: Mapping[str, Any] | None = None, **options: Unpack[EnqueueOptions]
    ) -> UUID:
        """One job; gives back its id, or that of the job that already holds its key."""
        connection = options.pop("connection", None)
        request = self.request(key, payload, options)
        return (await self._send(request, connection))[0]

    async def enqueue_many(
        self, key: str, payloads: Iterable[Mapping[str, Any]], **options: Unpack[EnqueueManyOptions]
    ) -> list[UUID]:
        """Many jobs of one definition in one statement; gives back their ids, in order."""
        connection = options.pop("connection", None)
        return await self._send(self.request_many(key, payloads, options), connection)

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
        """Publish an event; gives back its id, for a key that was used before that of the first."""
        parameters = emit_parameters(name, data, tenant=tenant, correlation_id=correlation_id)
        with emitting(name, tenant=tenant, correlation_id=correlation_id) as trace:
            statement, values = emit_statement(parameters, trace, idempotency_key)
            if connection is not None:
                return (await fetch_column(connection, statement, values))[0]
            async with self._database.pool.acquire() as conn:
                return (await fetch_column(conn, statement, values))[0]

    async def get_job(self, job_id: UUID | str) -> Job:
        """The job as it stands, or `NotFound`."""
        async with self._database.pool.acquire() as conn:
            return await get_job(conn, as_id(job_id))

    async def wait(self, job_id: UUID | str, timeout: timedelta | float | None = None) -> Job:
        """The job once it has ended, or `TimeoutError`."""
        seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
        return await self._waiting.until_ended(as_id(job_id), seconds)

    async def cancel(self, job_id: UUID | str) -> bool:
        """True when it is canceled or told to stop; false when it had already ended."""
        async with self._database.pool.acquire() as conn:
            return await cancel_job(conn, as_id(job_id))

    async def retry(self, job_id: UUID | str) -> bool:
        """True when it waits to run again; false when it has not ended."""
        async with self._database.pool.acquire() as conn:
            return await retry_job(conn, as_id(job_id))

    async def close(self) -> None:
        """Stop listening and give the database back."""
        await self._waiting.close()
        await self._database.close()

    async def disconnect(self) -> None:
        """Stop listening and give connections back; `leave_server` is for the caller's own thread."""
        await self._waiting.close()
        await self._database.disconnect()

    def leave_server(self) -> None:
        """Give up the share of an embedded server, after `disconnect`; blocks while it stops."""
        self._database.leave_server()

    def request(self, key: str, payload: Mapping[str, Any] | None, options: Any) -> EnqueueRequest:
        """A request for one job, validated."""
        said = dict(options)
        dedupe_key, idempotency_key = said.pop("dedupe_key", None), said.pop("idempotency_key", None)
        return EnqueueRequest(
            key,
            [self._payload(key, payload or {}, options)],
            dedupe_keys=None if dedupe_key is None else [dedupe_key],
            idempotency_keys=None if idempotency_key is None else [idempotency_key],
            **said,
        )

    def request_many(self, key: str, payloads: Iterable[Mapping[str, Any]], options: Any) -> EnqueueRequest:
        """A request for many jobs, each validated."""
        return EnqueueRequest(key, [self._payload(key, payload, options) for payload in payloads], **options)

    def _payload(self, key: str, payload: Mapping[str, Any], options: Mapping[str, Any]) -> str:
        tenant = options.get("tenant", "default")
        try:
            return self._registry.payload(key, payload, tenant=tenant)
        except NotJsonError as error:
            raise ValidationError(f"the payload of {key!r} cannot be stored: {error}") from None

    async def _send(self, request: EnqueueRequest, connection: Any) -> list[UUID]:
        with request.sending() as trace:
            if connection is not None:
                return await fetch_column(connection, ENQUEUE_MANY, request.parameters(trace))
            async with self._database.pool.acquire() as conn:
                return await fetch_column(conn, ENQUEUE_MANY, request.parameters(trace))


def as_id(job_id: UUID | str) -> UUID:
    """The id, or an error that says it is none."""
    if isinstance(job_id, UUID):
        return job_id
    try:
        return UUID(job_id)
    except ValueError:
        raise BadRequest(f"{job_id!r} is not a job id") from None
