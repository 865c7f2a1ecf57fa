"""Several at once, without chance: who waits for whom, and a gate where a race would happen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import asyncpg
import pytest
from tests.engine import Engine
from tests.waiting import until

from headrace.db.connect import Connection, OwnConnection

Another = Callable[[], Awaitable[OwnConnection]]

GATE = 4711


async def refusal(call: Awaitable[object]) -> asyncpg.PostgresError:
    """The error by which the database refuses the call."""
    with pytest.raises(asyncpg.PostgresError) as caught:
        await call
    return caught.value


async def until_blocked(observer: Connection, waiter: Connection, holder: Connection) -> None:
    """Return once the one waits for a lock of the other."""
    who = waiter.get_server_pid(), holder.get_server_pid()

    async def blocked() -> bool:
        return bool(await observer.fetchval("select $2::int = any(pg_blocking_pids($1))", *who))

    await until(f"{who[0]} waits for {who[1]}", blocked)


@asynccontextmanager
async def held_after_insert(engine: Engine, victim: Connection, another: Another) -> AsyncIterator[OwnConnection]:
    """Stop the victim right after its next insert into the queue, for as long as the block lasts."""
    await engine.db.execute(
        f"""
        create function headrace.test_gate() returns trigger language plpgsql as $$
        begin
          if current_setting('test.gated', true) = 'on' then
            perform pg_advisory_xact_lock_shared({GATE});
          end if;
          return null;
        end $$;
        create trigger test_gate after insert on headrace.queue for each statement execute function headrace.test_gate()
        """
    )
    async with _kept_waiting(victim, another) as keeper:
        yield keeper


@asynccontextmanager
async def held_while_looking_at_workers(
    engine: Engine, victim: Connection, another: Another
) -> AsyncIterator[OwnConnection]:
    """Stop the victim's next statement that reads workers after it has its snapshot, while the block lasts."""
    # Cheap, so that it is asked before whatever else is asked of a worker, and of every one.
    await engine.db.execute(
        f"""
        create function headrace.test_pause() returns boolean language plpgsql volatile cost 0.0001 as $$
        begin
          if current_setting('test.gated', true) = 'on' then
            perform pg_advisory_xact_lock_shared({GATE});
          end if;
          return true;
        end $$;
        alter table headrace.worker rename to worker_table;
        create view headrace.worker as select * from headrace.worker_table where headrace.test_pause()
        """
    )
    async with _kept_waiting(victim, another) as keeper:
        yield keeper


@asynccontextmanager
async def _kept_waiting(victim: Connection, another: Another) -> AsyncIterator[OwnConnection]:
    """Hold the gate at which the victim stops, until the block ends."""
    await victim.execute("set test.gated = 'on'")
    keeper = await another()
    await keeper.execute(f"select pg_advisory_lock({GATE})")
    try:
        yield keeper
    finally:
        await keeper.execute(f"select pg_advisory_unlock({GATE})")
