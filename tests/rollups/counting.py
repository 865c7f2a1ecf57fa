"""Rollups by hand: fold at once, and read what one definition came to."""

from __future__ import annotations

from datetime import datetime

from tests.engine import Engine

from headrace.rollups.fold import fold_deltas
from headrace.rollups.read import Counts, totals


async def counted(engine: Engine, definition: str = "work", tenant: str = "default") -> dict[str, int]:
    """What is not nought, of one definition and tenant, after all is folded."""
    await fold_deltas(engine.db)
    for total in await totals(engine.db):
        if (total.definition, total.tenant) == (definition, tenant):
            return not_nought(total.counts)
    return {}


def not_nought(counts: Counts) -> dict[str, int]:
    """Only what happened."""
    return {name: n for name, n in counts._asdict().items() if n}


async def deltas(engine: Engine) -> int:
    """How many are not folded yet."""
    n: int = await engine.db.fetchval("select count(*) from headrace.rollup_delta")
    return n


async def fold_as_of(engine: Engine, at: datetime) -> None:
    """Fold what there is as if it had happened then."""
    await engine.db.execute("update headrace.rollup_delta set at = $1", at)
    await fold_deltas(engine.db)
