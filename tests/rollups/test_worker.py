"""In a running worker: what its jobs did can be read a moment later, and nothing is asked when nothing happens."""

from __future__ import annotations

from tests.engine import Engine
from tests.rollups.counting import deltas
from tests.waiting import PATIENCE, until
from tests.worker.running import app_on, working

from headrace.rollups.read import depth, summary


async def test_a_worker_folds_and_samples_by_itself(engine: Engine) -> None:
    hr = app_on(engine.endpoint.url)

    @hr.job
    def work() -> None: ...

    async with working(hr):
        for _ in range(3):
            await hr.wait(await hr.enqueue("work"), PATIENCE)

        async def folded() -> bool:
            since = await engine.db.fetchval("select now() - interval '1 hour'")
            return (await summary(engine.db, tenant_id=None, since=since)).succeeded == 3

        await until("it is folded", folded)

        async def sampled() -> bool:
            return (await depth(engine.db)).sampled_at is not None

        await until("it is sampled", sampled)
    assert await deltas(engine) == 0
