"""`hr.blocking`: the same verbs for code without an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy.orm import Session
from tests.app import brought
from tests.app.shop import make_shop, working_in_a_thread
from tests.waiting import PATIENCE, wait_until

from headrace import Headrace
from headrace.errors import BadRequest, DatabaseUnusable, NotFound, ValidationError
from headrace.model.job.status import JobStatus


@pytest.fixture
def shop(shared_url: str) -> Iterator[Headrace]:
    """Never opened: the facade opens what it needs."""
    hr = make_shop(shared_url)
    yield hr
    hr.blocking.close()


def count(url: str, job_id: UUID) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("select count(*) from headrace.queue where job_id = %s", [job_id]).fetchone()
        assert row is not None
        return int(row[0])


def facade_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "headrace blocking"}


def test_jobs_are_enqueued_looked_at_canceled_and_retried(shop: Headrace) -> None:
    job_id = shop.blocking.enqueue("add", {"x": 1})
    assert shop.blocking.get_job(job_id).status is JobStatus.QUEUED
    assert shop.blocking.cancel(str(job_id)) is True
    assert shop.blocking.get_job(str(job_id)).status is JobStatus.CANCELED
    assert shop.blocking.cancel(job_id) is False
    assert shop.blocking.retry(job_id) is True
    assert shop.blocking.retry(job_id) is False
    assert shop.blocking.get_job(job_id).status is JobStatus.QUEUED
    many = shop.blocking.enqueue_many("add", ({"x": n} for n in range(50)), priority=3)
    assert many == sorted(many)
    assert [shop.blocking.get_job(one).payload["x"] for one in many[::10]] == [0, 10, 20, 30, 40]


def test_a_wait_ends_with_the_job(database_url: str) -> None:
    hr = make_shop(database_url)
    with working_in_a_thread(database_url):
        job_id = hr.blocking.enqueue("add", {"x": 2, "y": 3})
        job = hr.blocking.wait(job_id, timeout=PATIENCE)
        assert (job.status, job.result) == (JobStatus.SUCCEEDED, 5)
        failed = hr.blocking.wait(hr.blocking.enqueue("refuse"), timeout=PATIENCE)
        assert failed.status is JobStatus.DEAD_LETTER
        assert "never" in str(failed.last_error)
    hr.blocking.close()


def test_a_wait_may_run_out(shop: Headrace) -> None:
    job_id = shop.blocking.enqueue("add", {"x": 1}, delay=3600)
    with pytest.raises(TimeoutError, match=f"job {job_id} has not ended within 0.01 s"):
        shop.blocking.wait(job_id, timeout=0.01)


def test_errors_are_the_same_as_without_the_facade(shop: Headrace) -> None:
    with pytest.raises(ValidationError, match="x: Field required"):
        shop.blocking.enqueue("add")
    with pytest.raises(NotFound, match="unknown definition"):
        shop.blocking.enqueue("nothing")
    with pytest.raises(NotFound, match="unknown job"):
        shop.blocking.get_job(uuid4())
    with pytest.raises(BadRequest, match="'seven' is not a job id"):
        shop.blocking.get_job("seven")


def test_a_psycopg_transaction_decides(shop: Headrace, shared_url: str) -> None:
    with psycopg.connect(shared_url) as connection:
        first = shop.blocking.enqueue("add", {"x": 1}, connection=connection)
        (second,) = shop.blocking.enqueue_many("add", [{"x": 1}], connection=connection)
        assert count(shared_url, first) == count(shared_url, second) == 0
        connection.commit()
        assert count(shared_url, first) == count(shared_url, second) == 1
        third = shop.blocking.enqueue("add", {"x": 1}, connection=connection)
        connection.rollback()
        assert count(shared_url, third) == 0
        with pytest.raises(NotFound, match="unknown definition"):
            shop.blocking.enqueue("nothing", connection=connection)


def test_a_sqlalchemy_session_decides(shop: Headrace, shared_url: str) -> None:
    with Session(brought.sync_engine(shared_url)) as session:
        job_id = shop.blocking.enqueue("add", {"x": 1}, connection=session)
        session.rollback()
        assert count(shared_url, job_id) == 0
        job_id = shop.blocking.enqueue("add", {"x": 1}, connection=session)
        session.commit()
        assert count(shared_url, job_id) == 1


@pytest.mark.parametrize(
    "bring",
    [brought.asyncpg_connection, brought.asyncpg_pool_proxy, brought.psycopg_async_connection],
    ids=lambda bring: bring.__name__,
)
def test_an_async_connection_is_refused_and_left_usable(shop: Headrace, shared_url: str, bring: object) -> None:
    async def attempt() -> None:
        assert callable(bring)
        async with bring(shared_url) as given:
            with pytest.raises(BadRequest, match=r"hr\.blocking needs a blocking connection"):
                await asyncio.to_thread(shop.blocking.enqueue, "add", {"x": 1}, connection=given.connection)
            with pytest.raises(BadRequest, match=r"hr\.blocking needs a blocking connection"):
                await asyncio.to_thread(shop.blocking.enqueue_many, "add", [{"x": 1}], connection=given.connection)
            await given.connection.execute("select 1")
            await given.rollback()

    asyncio.run(attempt())


def test_closing_ends_the_thread_and_the_next_call_starts_anew(shop: Headrace) -> None:
    shop.blocking.close()
    before = facade_threads()
    shop.blocking.enqueue("add", {"x": 1})
    (thread,) = facade_threads() - before
    shop.blocking.close()
    shop.blocking.close()
    wait_until("the thread has ended", lambda: not thread.is_alive())
    job_id = shop.blocking.enqueue("add", {"x": 1})
    assert shop.blocking.get_job(job_id).id == job_id


def test_a_database_that_is_away_is_reported_and_leaves_no_thread() -> None:
    hr = Headrace("postgresql://someone:s3cret@127.0.0.1:1/jobs", app="shop")
    before = facade_threads()
    for _ in range(2):
        with pytest.raises(DatabaseUnusable, match=r"cannot connect to PostgreSQL at 127\.0\.0\.1:1/jobs"):
            hr.blocking.enqueue("add", {"x": 1})
    wait_until("the threads have ended", lambda: facade_threads() <= before)


def test_many_threads_may_share_the_facade(shop: Headrace) -> None:
    ids: list[UUID] = []
    threads = [threading.Thread(target=lambda: ids.append(shop.blocking.enqueue("add", {"x": 1}))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids)) == 8
