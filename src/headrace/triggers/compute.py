"""Compute: when a new or changed trigger is due first."""

from __future__ import annotations

from typing import Any

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.trigger.fire_plan import Entry, plan_first
from headrace.model.trigger.rule import Rule
from headrace.triggers.enqueue import columns
from headrace.triggers.fire import BATCH, disable_triggers, read_locked, short_transaction, with_jitter, write_entries
from headrace.triggers.rules import Rules

SQL = statements(__file__)


async def compute_due_times(conn: Connection, rules: Rules, *, batch: int = BATCH) -> int:
    """Give triggers without a due time their first; gives back how many there were. Bad ones are turned off."""
    async with short_transaction(conn):
        locked = [row["id"] for row in await conn.fetch(SQL["lock_uncomputed"], batch)]
        if not locked:
            return 0
        good, bad = rules.valid(await read_locked(conn, rules, locked))
        lines: list[tuple[Any, ...]] = []
        entries: list[tuple[Any, Rule, Entry]] = []
        for row, rule in good:
            plan = plan_first(
                rule,
                effective_from=row["effective_from"],
                uncovered_from=row["uncovered_from"],
                uncovered_why=row["uncovered_why"],
            )
            entries += [(row, rule, entry) for entry in plan.entries]
            fire_at = plan.next_run_at and plan.next_run_at + with_jitter(rule)
            lines.append((row["id"], plan.next_run_at, fire_at))
        await write_entries(conn, rules, entries)
        if lines:
            await conn.execute(SQL["set_due_times"], *columns(lines))
        if bad:
            await disable_triggers(conn, bad, {})
        return len(locked)
