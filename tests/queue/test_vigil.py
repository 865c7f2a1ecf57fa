"""Who was out of sight cannot be told from who is gone: a database that stood still costs nobody a lease (rule 7)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.engine import Engine
from tests.waiting import until

from headrace.model.vigil import Gap, Vigil
from headrace.queue.rescue import look, mark_lost_workers
from headrace.worker.maintenance.maintenance import LOOKS_FOR_EACH_LEASE

NOTHING = timedelta(0)
leases = pytest.mark.parametrize("lease", [timedelta(seconds=5), timedelta(seconds=60)], ids=["5 s", "60 s"])
freezes = pytest.mark.parametrize("freeze", [0.5, 1, 2, 3])


def vigil_through(freeze: timedelta, *, thawed_for: timedelta, lease: timedelta) -> Vigil:
    """Looks as a rescuer has them: none while the database stood still, and the last one now or as that began."""
    vigil, every = Vigil(), lease / LOOKS_FOR_EACH_LEASE
    thaw = datetime.now(UTC) - thawed_for
    for n in range(3 * LOOKS_FOR_EACH_LEASE, -1, -1):
        vigil.looked(thaw - freeze - n * every)
    for n in range(thawed_for // every + 1 if thawed_for else 0):
        vigil.looked(thaw + n * every)
    return vigil


async def silent_since(engine: Engine, worker: int, ago: timedelta) -> None:
    """Its last beat is so long ago."""
    await engine.db.execute(
        "update headrace.worker set heartbeat_at = clock_timestamp() - $2::interval,"
        " lease_expires_at = clock_timestamp() - $2::interval + lease where id = $1",
        worker,
        ago,
    )


@leases
@freezes
async def test_nobody_is_called_lost_as_the_database_goes_on(engine: Engine, lease: timedelta, freeze: float) -> None:
    worker = await engine.worker(lease=lease)
    await silent_since(engine, worker, freeze * lease + lease / 3)
    # The rescuer's statement has waited just as long, or its next one comes at once.
    assert await mark_lost_workers(engine.db, vigil_through(freeze * lease, thawed_for=NOTHING, lease=lease)) == []
    woken = vigil_through(freeze * lease, thawed_for=timedelta(microseconds=1), lease=lease)
    assert await mark_lost_workers(engine.db, woken) == []


@leases
@freezes
async def test_who_stays_silent_for_a_lease_after_that_is_lost(engine: Engine, lease: timedelta, freeze: float) -> None:
    worker = await engine.worker(lease=lease)
    await silent_since(engine, worker, freeze * lease + 2 * lease)
    halfway = vigil_through(freeze * lease, thawed_for=lease / 2, lease=lease)
    assert await mark_lost_workers(engine.db, halfway) == []

    async def lost() -> bool:
        over = vigil_through(freeze * lease, thawed_for=lease * 1.2, lease=lease)
        return [one.id for one in await mark_lost_workers(engine.db, over)] == [worker]

    await until("it is called lost", lost)


async def test_a_short_sight_hides_short_leases_only(engine: Engine) -> None:
    short, long = await engine.worker(lease=timedelta(seconds=5)), await engine.worker(lease=timedelta(minutes=1))
    for worker in (short, long):
        await silent_since(engine, worker, timedelta(hours=1))
    vigil = vigil_through(NOTHING, thawed_for=NOTHING, lease=timedelta(minutes=1))
    assert [one.id for one in await mark_lost_workers(engine.db, vigil)] == [long]
    assert (await look(engine.db)).shortest_lease == timedelta(seconds=5)


async def test_who_has_never_looked_calls_nobody_lost(engine: Engine) -> None:
    await silent_since(engine, await engine.worker(), timedelta(hours=1))
    assert await mark_lost_workers(engine.db, Vigil()) == []


def test_a_vigil_keeps_the_longest_gaps_and_begins_anew_when_the_clock_is_set_back() -> None:
    vigil, start = Vigil(), datetime(2026, 1, 1, tzinfo=UTC)
    for seconds in (0, 9, 10, 13, 20, 22):
        vigil.looked(start + timedelta(seconds=seconds))
    kept = [(gap.until - start, gap.length) for gap in vigil.gaps[1:]]
    assert [(until.seconds, length.seconds) for until, length in kept] == [(9, 9), (20, 7), (22, 2)]
    vigil.looked(start)
    assert (vigil.last, [gap.until for gap in vigil.gaps]) == (start, [start])
    assert vigil.gaps == [Gap(start, vigil.gaps[0].length)]
