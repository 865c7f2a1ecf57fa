"""Upkeep in a worker process: partitions at once, and what is old where no built-in job removes it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.engine import Engine

from headrace.db.link import Link
from headrace.worker.maintenance.maintenance import PRUNE_AFTER, RetentionAges, Upkeep

KEEP = RetentionAges(*(timedelta(days=30),) * 4)
OLD_ROLLUP = """
    insert into headrace.rollup (minute, tenant_id, definition_id)
    select now() - interval '40 days', tenant.id, definition.id
      from headrace.tenant, headrace.definition where tenant.name = 'default'
"""


@pytest.mark.parametrize("keep", [KEEP, None])
async def test_partitions_come_first_and_old_counts_go_a_minute_later(
    engine: Engine, keep: RetentionAges | None
) -> None:
    await engine.define("work")
    await engine.db.execute(OLD_ROLLUP)
    link = Link(engine.endpoint, "upkeep")
    upkeep = Upkeep(link, keep)

    async def counts() -> int:
        n: int = await engine.db.fetchval("select count(*) from headrace.rollup")
        return n

    assert await upkeep.tick() == PRUNE_AFTER
    assert await counts() == 1
    assert await upkeep.tick() is None
    assert await counts() == (1 if keep is None else 0), "with built-in jobs it is for them to do"
    await link.close()
