"""`connection=`: a job in the caller's own transaction, whichever driver that is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, closing
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.app import brought
from tests.app.brought import Brought

from headrace import Headrace
from headrace.errors import BadRequest, Conflict, NotFound, ValidationError
from headrace.model.job.status import JobStatus

Bring = Callable[[str], AbstractAsyncContextManager[Brought]]
every_driver = pytest.mark.parametrize(
    "bring",
    [
        brought.asyncpg_connection,
        brought.asyncpg_pool_proxy,
        brought.psycopg_connection,
        brought.psycopg_async_connection,
        brought.sqlalchemy_connection,
        brought.sqlalchemy_session,
        brought.sqlalchemy_async_connection,
        brought.sqlalchemy_async_session,
    ],
    ids=lambda bring: bring.__name__,
)


async def exists(hr: Headrace, job_id: UUID) -> bool:
    async with hr.database.pool.acquire() as conn:
        rows = await conn.fetchval(
            "select (select count(*) from headrace.job where id = $1)"
            "     + (select count(*) from headrace.queue where job_id = $1)",
            job_id,
        )
    assert rows in (0, 2)  # the record and its place in the queue, or neither
    return bool(rows)


@every_driver
async def test_the_job_exists_if_and_only_if_the_transaction_commits(
    shared_hr: Headrace, shared_url: str, bring: Bring
) -> None:
    async with bring(shared_url) as given:
        job_id = await shared_hr.enqueue("add", {"x": 1}, connection=given.connection)
        assert isinstance(job_id, UUID)
        assert not await exists(shared_hr, job_id)
        await given.commit()
        assert await exists(shared_hr, job_id)
    async with bring(shared_url) as given:
        many = await shared_hr.enqueue_many("add", [{"x": n} for n in range(3)], connection=given.connection)
        await given.rollback()
        assert [await exists(shared_hr, one) for one in many] == [False] * 3


@every_driver
async def test_what_is_said_arrives_whichever_driver_carries_it(
    shared_hr: Headrace, shared_url: str, bring: Bring
) -> None:
    at = datetime(2040, 1, 2, 3, 4, 5, tzinfo=UTC)
    key = f"100% :p1 $1 ü {bring.__name__}"
    async with bring(shared_url) as given:
        first, second = await shared_hr.enqueue_many(
            "add",
            [{"x": 1}, {"x": 2, "y": 3}],
            queue="mail",
            priority=7,
            scheduled_for=at,
            dedupe_keys=[None, key],
            idempotency_keys=[key, None],
            correlation_id=key,
            max_attempts=9,
            connection=given.connection,
        )
        delayed = await shared_hr.enqueue("add", {"x": 1}, delay=timedelta(hours=1), connection=given.connection)
        await given.commit()
    job = await shared_hr.get_job(second)
    assert (job.payload, job.queue, job.priority, job.max_attempts) == ({"x": 2, "y": 3}, "mail", 7, 9)
    assert (job.scheduled_for, job.status, job.correlation_id, job.dedupe_key) == (at, JobStatus.SCHEDULED, key, key)
    assert (await shared_hr.get_job(first)).dedupe_key is None
    assert (await shared_hr.get_job(delayed)).status is JobStatus.SCHEDULED
    # The keys hold for a later caller without a connection.
    assert await shared_hr.enqueue("add", {"x": 9}, dedupe_key=key) == second
    assert await shared_hr.enqueue("add", {"x": 1}, idempotency_key=key) == first


@every_driver
async def test_errors_are_ours_whichever_driver_carries_them(
    shared_hr: Headrace, shared_url: str, bring: Bring
) -> None:
    asked: list[tuple[type[Exception], str, tuple[Any, ...], dict[str, Any]]] = [
        (NotFound, 'unknown definition "nothing". Start an app that declares', ("nothing", {}), {}),
        (NotFound, 'unknown tenant "nobody". Create the tenant first.', ("add", {"x": 1}), {"tenant": "nobody"}),
        (BadRequest, "priority 1001 is out of range", ("add", {"x": 1}), {"priority": 1001}),
        (ValidationError, "x: Input should be a valid integer", ("add", {"x": "?"}), {}),
    ]
    for error, words, arguments, options in asked:
        async with bring(shared_url) as given:
            with pytest.raises(error) as refused:
                await shared_hr.enqueue(*arguments, connection=given.connection, **options)
            assert words in str(refused.value)
            assert type(refused.value) is error
            await given.rollback()
    key = f"same {bring.__name__}"
    async with bring(shared_url) as given:
        await shared_hr.enqueue("add", {"x": 1}, idempotency_key=key, connection=given.connection)
        with pytest.raises(Conflict, match="was used before with another definition or payload"):
            await shared_hr.enqueue("add", {"x": 2}, idempotency_key=key, connection=given.connection)
        await given.rollback()


async def test_a_connection_of_another_kind_is_refused(shared_hr: Headrace) -> None:
    with pytest.raises(BadRequest, match=r"does not support builtins\.object: give an asyncpg, psycopg or SQLAlchemy"):
        await shared_hr.enqueue("add", {"x": 1}, connection=object())
    with closing(sqlite3.connect(":memory:")) as other, pytest.raises(BadRequest, match=r"sqlite3\.Connection"):
        await shared_hr.enqueue("add", {"x": 1}, connection=other)


async def test_a_class_that_inherits_from_a_drivers_is_known(shared_hr: Headrace, shared_url: str) -> None:
    class Ours(asyncpg.Connection):
        pass

    connection = await asyncpg.connect(shared_url, connection_class=Ours)
    assert await exists(shared_hr, await shared_hr.enqueue("add", {"x": 1}, connection=connection))
    await connection.close()
