"""`headrace.prune_rows`: rows of an application's own tables, which its configuration names."""

from __future__ import annotations

from datetime import timedelta

from headrace.builtin.delete_rows import Deleted, DeleteRule, delete_rows
from headrace.builtin.workplace import Workplace
from headrace.log import get_logger
from headrace.model.job.outcome import Fail

log = get_logger("headrace.builtin")


async def prune_rows(place: Workplace, name: str) -> Deleted:
    """Remove rows by the rule `[builtin.prune_rows.NAME]`. A payload can choose a rule, and nothing else."""
    rules = place.settings.builtin.rules()
    if name not in rules:
        raise Fail(f"the configuration of this worker has no [builtin.prune_rows.{name}]")
    said = rules[name]
    rule = DeleteRule(
        said.table, said.columns, timedelta(hours=said.retention_hours), said.batch_size, said.all_columns
    )
    async with place.connection() as conn:
        done = await delete_rows(conn, rule)
    if "skipped" in done:
        log.warning("pruning skipped", rule=name, table=done["table"], why=done["skipped"])
    return done
