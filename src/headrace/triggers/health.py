"""Health: what an operator should know of triggers before somebody misses a job."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)


async def trigger_warnings(conn: Connection) -> list[str]:
    """A sentence for each kind of trouble, with examples."""
    late, ahead = await conn.fetchrow(SQL["clocks"]) or (None, None)
    warnings = [_gone(**row) for row in await conn.fetch(SQL["gone"])]
    if late is not None:
        warnings.append(f"a trigger has been due for {late:.0f} s: check that a worker runs with its scheduler enabled")
    if ahead is not None:
        warnings.append(
            f"triggers have fired for times up to {ahead:.0f} s from now: the database's clock went back, and these "
            "triggers do not fire until it has caught up"
        )
    warnings += [
        f'no live worker runs "{row["definition"]}", which {row["triggers"]} enabled triggers enqueue'
        for row in await conn.fetch(SQL["unserved"])
    ]
    for row in await conn.fetch(SQL["in_error"]):
        state = "is in error" if row["enabled"] else "was disabled by an error"
        warnings.append(f'trigger "{row["name"]}" of tenant "{row["tenant"]}" {state}: {row["last_error"]}')
    return warnings


def _gone(definition: str, kind: str, triggers: int, named: str) -> str:
    whose = f'trigger "{named}" is' if triggers == 1 else f'{triggers} triggers, for example "{named}", are'
    what = "was undefined" if kind == "sql" else "was deleted from code"
    return f'{whose} enabled but cannot enqueue jobs: the definition "{definition}" {what}'
