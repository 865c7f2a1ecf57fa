"""`hr.register`: repeating jobs that a running process adds and removes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.triggers.triggering import UNASKED, nobody_looks_unasked
from tests.waiting import until
from tests.worker.running import app_on, running, working

from headrace import Context, Headrace
from headrace.db.connect import Connection
from headrace.errors import Conflict
from headrace.worker.process.database_worker import WorkerProcess

OFTEN = 0.2


class Runs:
    """Counts what ran, by tenant and job."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, UUID]] = []

    async def tick(self, ctx: Context) -> None:
        self.seen.append((ctx.tenant, ctx.job_id))

    def of(self, tenant: str = "default") -> list[UUID]:
        return [job_id for its, job_id in self.seen if its == tenant]

    async def until(self, n: int, tenant: str = "default") -> None:
        wanted = len(self.of(tenant)) + n
        await until(f"it ran {n} times more", lambda: len(self.of(tenant)) >= wanted)


async def trigger(connection: Connection, name: str = "tick") -> dict[str, Any]:
    row = await connection.fetchrow("select * from headrace.trigger where name = $1", name)
    return dict(row) if row else {}


async def test_it_runs_at_once_in_a_process_already_at_work_and_again_and_again(
    connection: Connection, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody_looks_unasked(monkeypatch)
    hr, runs = app_on(database_url, **UNASKED), Runs()
    async with working(hr):
        trigger_id = await hr.register(runs.tick, key="tick", every=timedelta(seconds=OFTEN))
        await runs.until(3)
    assert (await trigger(connection))["id"] == trigger_id
    sources = await connection.fetch("select distinct source, source_ref from headrace.job")
    assert {tuple(row) for row in sources} <= {("scheduler", trigger_id), ("catchup", trigger_id)}


async def test_each_tenant_has_a_rhythm_of_its_own(connection: Connection, database_url: str) -> None:
    hr, runs = app_on(database_url), Runs()
    for tenant in ("red", "blue"):
        await connection.execute("insert into headrace.tenant (name) values ($1)", tenant)
    async with working(hr):
        for tenant in ("red", "blue"):
            await hr.register(runs.tick, key="tick", tenant=tenant, every=OFTEN)
        await runs.until(2, "red")
        await runs.until(2, "blue")
        await hr.unregister("tick", tenant="red")
        await until("nothing of it is left", lambda: drained(connection, "red"))
        after = len(runs.of("red"))
        await runs.until(4, "blue")
        assert len(runs.of("red")) == after
    assert runs.of() == []


async def drained(connection: Connection, tenant: str) -> bool:
    query = (
        "select count(*) = 0 from headrace.queue as q join headrace.tenant as t on t.id = tenant_id where t.name = $1"
    )
    return bool(await connection.fetchval(query, tenant))


async def test_however_many_processes_register_it_each_time_runs_once(
    connection: Connection, database_url: str
) -> None:
    one, two = app_on(database_url, "same"), app_on(database_url, "same")
    runs = Runs()
    start = datetime.now(UTC).replace(microsecond=0)
    async with working(one), working(two):
        await asyncio.gather(
            *(hr.register(runs.tick, key="tick", every=OFTEN, starts_at=start, overlap="allow") for hr in (one, two))
        )
        await runs.until(8)
        await one.unregister("tick")
        await until("nothing of it is left", lambda: drained(connection, "default"))
    due = [row[0] for row in await connection.fetch("select scheduled_for from headrace.job order by 1")]
    assert len(due) == len(set(due)) == len(runs.seen) == len(set(runs.seen))
    assert all((at - start) % timedelta(seconds=OFTEN) == timedelta(0) for at in due)
    assert await connection.fetchval("select count(*) from headrace.attempt where run > 1") == 0


async def test_a_handler_that_raises_does_not_stop_the_rhythm(connection: Connection, database_url: str) -> None:
    hr, runs = app_on(database_url), Runs()

    async def fails(ctx: Context) -> None:
        await runs.tick(ctx)
        raise RuntimeError("again")

    async with working(hr):
        await hr.register(fails, key="tick", every=OFTEN, max_attempts=1)
        await runs.until(4)
    finals = await connection.fetch("select distinct final::text from headrace.attempt")
    assert [row[0] for row in finals] == ["dead_letter"]
    assert (await trigger(connection))["enabled"]


async def test_a_key_has_one_function_and_a_tenant_it_once(database_url: str) -> None:
    hr, runs = app_on(database_url), Runs()

    @hr.job
    async def declared() -> None: ...

    async def other() -> None: ...

    tick: Callable[..., Any] = runs.tick
    async with hr:
        await hr.register(tick, key="tick", every=3600)
        with pytest.raises(Conflict, match="'tick' is already registered for tenant 'default'"):
            await hr.register(tick, key="tick", every=3600)
        with pytest.raises(Conflict, match="'declared' is already another function"):
            await hr.register(other, key="declared", every=3600)
        async with hr.database.pool.acquire() as conn:
            await conn.execute("insert into headrace.tenant (name) values ('acme')")
        with pytest.raises(Conflict, match="'tick' is already another function"):
            await hr.register(other, key="tick", tenant="acme", every=3600)
        await hr.register(tick, key="tick", tenant="acme", every=3600)
        await hr.unregister("tick")
        await hr.unregister("tick", tenant="acme")
        await hr.register(other, key="tick", every=3600)


async def test_a_long_interval_survives_restarts(connection: Connection, database_url: str) -> None:
    runs = Runs()
    async with app_on(database_url) as hr:
        await hr.register(runs.tick, key="tick", every=3600)
    # Half an hour ago, that is.
    await connection.execute("update headrace.trigger set starts_at = starts_at - interval '30 minutes'")
    async with working(app_on(database_url)):
        await until("its due time is known", lambda: computed(connection))
    before = await trigger(connection)
    hr = app_on(database_url)
    async with working(hr):
        await hr.register(runs.tick, key="tick", every=3600)
        after = await trigger(connection)
        assert {k: after[k] for k in ("id", "starts_at", "next_run_at", "version")} == {
            k: before[k] for k in ("id", "starts_at", "next_run_at", "version")
        }
        assert runs.seen == []
    # Down while it was due: once when it is back, and then by the same rhythm.
    due = before["next_run_at"]
    await connection.execute(
        "update headrace.trigger set next_run_at = $1, fire_at = $1::timestamptz", due - timedelta(hours=5)
    )
    hr = app_on(database_url)
    async with working(hr):
        await hr.register(runs.tick, key="tick", every=3600)
        await runs.until(1)
    assert len(runs.seen) == 1
    assert (await trigger(connection))["next_run_at"] == due


async def computed(connection: Connection) -> bool:
    return (await trigger(connection)).get("next_run_at") is not None


async def test_it_stays_off_when_an_operator_turned_it_off_and_a_new_interval_holds(
    connection: Connection, database_url: str
) -> None:
    runs = Runs()
    async with app_on(database_url) as hr:
        await hr.register(runs.tick, key="tick", every=3600)
        await hr.control.triggers.disable("tick", note="not now")
    async with app_on(database_url) as hr:
        await hr.register(runs.tick, key="tick", every=1800)
    row = await trigger(connection)
    assert (row["enabled"], row["pause_note"], row["every_seconds"]) == (False, "not now", 1800)


async def test_a_process_that_did_not_register_it_neither_runs_it_nor_calls_it_gone(
    connection: Connection, database_url: str
) -> None:
    one, two = app_on(database_url, "same"), app_on(database_url, "same")
    runs = Runs()
    async with one:
        # Before its worker starts, which tells the database all that the code of this app declares.
        await one.register(runs.tick, key="tick", every=OFTEN)
    async with working(two):
        worker = await connection.fetchrow("select definitions from headrace.worker where state = 'live'")
        assert worker is not None
        assert "tick" not in worker["definitions"]
        await until("it is due and waits", lambda: waits(connection))
    assert not await gone(connection)
    again = app_on(database_url, "same")
    async with again:
        await again.register(runs.tick, key="tick", every=OFTEN)
        async with working_beside(again), working(two):
            assert not await gone(connection)
            await runs.until(3)
    assert not await gone(connection)
    assert (await trigger(connection))["deleted_from_code_at"] is None


def working_beside(hr: Headrace) -> Any:
    """A worker of an application that is open."""
    return running(WorkerProcess(hr))


async def waits(connection: Connection) -> bool:
    return bool(await connection.fetchval("select exists (select from headrace.queue)"))


async def gone(connection: Connection) -> bool:
    return bool(
        await connection.fetchval("select deleted_from_code_at is not null from headrace.definition where key = 'tick'")
    )
