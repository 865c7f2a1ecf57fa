"""Fold: add what was noted since the last time to minutes, hours and totals."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)
BATCH = 20_000


async def fold_deltas(conn: Connection, *, when_due: bool = False) -> int:
    """Fold all there is, or nothing while another process folds or, if so asked, before it is due; gives how many."""
    folded = 0
    while batch := await _fold_batch(conn, anyway=not when_due or folded > 0):
        folded += batch
        if batch < BATCH:
            break
    return folded


async def _fold_batch(conn: Connection, *, anyway: bool) -> int:
    async with conn.transaction():
        if not await conn.fetchval(SQL["take_turn"], anyway):
            return 0
        folded: int = await conn.fetchval(SQL["fold_batch"], BATCH)
        if folded:
            await conn.execute(SQL["note_folded"])
        return folded
