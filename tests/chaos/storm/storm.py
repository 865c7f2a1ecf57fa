"""A storm from beginning to end: a deployment, a load, faults, quiet, and what is wrong afterwards."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from tests.chaos.storm.check import check
from tests.chaos.storm.deployment import Deployment, settled
from tests.chaos.storm.evidence import Evidence
from tests.chaos.storm.gather import read_histories, read_jobs, read_sql_done, read_truth
from tests.chaos.storm.injector import Injector
from tests.chaos.storm.plan import Injection, plan
from tests.chaos.storm.producers import Producer
from tests.chaos.storm.quiet import become_quiet, create_triggers
from tests.chaos.storm.report import Report

from headrace.aio import wait_for_event

PRODUCERS = 3
A_SECOND = 2.5
LOOK_EVERY = 0.25
# Who asked for a quarter of a second and got so much more had no processor: nor had anybody else.
STALL = 1.25


class Watch:
    """Starts again what ended, and notices when the machine has no time for anybody."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self.stalls: list[tuple[datetime, datetime]] = []

    async def run(self) -> None:
        never = asyncio.Event()
        while True:
            asked, at = time.monotonic(), datetime.now(UTC)
            await wait_for_event(never, LOOK_EVERY)
            if time.monotonic() - asked > LOOK_EVERY + STALL:
                self.stalls.append((at, datetime.now(UTC)))
            for resident in self._deployment.residents.values():
                resident.start_again_if_it_ended()


async def storm(seed: int, seconds: float, *, a_second: float = A_SECOND, without: Collection[str] = ()) -> Report:
    """Run one, and leave nothing behind."""
    injections = plan(seed, seconds, a_second=a_second, without=without)
    # Not in a test's own folder: that one is closed to the user under whom root's servers run, and its path is long.
    folder = Path(tempfile.mkdtemp(prefix="storm-"))
    folder.chmod(0o711)
    try:
        async with settled(folder) as deployment:
            await create_triggers(deployment)
            watch, injector = Watch(deployment), Injector(deployment)
            watching = asyncio.create_task(watch.run())
            try:
                await _blow(deployment, injector, injections, seed)
                horizon, stuck = await become_quiet(deployment)
            finally:
                watching.cancel()
                with suppress(asyncio.CancelledError):
                    await watching
            stuck += [f"did not stop in order: {said}" for said in await deployment.leave()]
            evidence = await _gather(deployment, injector, watch, horizon, [*stuck, *injector.stayed_dead])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Report(seed, seconds, evidence, check(evidence))


async def _blow(deployment: Deployment, injector: Injector, injections: list[Injection], seed: int) -> None:
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        for number in range(PRODUCERS):
            tasks.create_task(Producer(deployment, number, seed, stop).run())
        try:
            await injector.run(injections)
        finally:
            stop.set()


async def _gather(
    deployment: Deployment, injector: Injector, watch: Watch, horizon: datetime, stuck: list[str]
) -> Evidence:
    lives = {life.name: life for resident in deployment.residents.values() for life in resident.lives}
    truth = read_truth(deployment.folder / "truth")
    db = await deployment.connect()
    try:
        return Evidence(
            lease=deployment.lease,
            truth=truth,
            jobs=await read_jobs(db, lives, truth),
            lives=lives,
            injected=injector.injected,
            histories=await read_histories(db),
            horizon=horizon,
            sql_done=await read_sql_done(db),
            stalls=watch.stalls,
            stuck=stuck,
        )
    finally:
        await db.close()
