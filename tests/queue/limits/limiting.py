"""Setting limits by hand, as an operator's edit would, and what the sweep does afterwards."""

from __future__ import annotations

from typing import Any

from tests.engine import Engine
from tests.waiting import until

from headrace.queue.regate import regate_jobs


async def limit(engine: Engine, key: str = "work", *, sweep: bool = True, **columns: Any) -> None:
    """Change limits of a definition, and put what waits behind its gate."""
    await engine.define(key)
    named = ", ".join(f"{name} = ${n}" for n, name in enumerate(columns, 2))
    await engine.db.execute(f"update headrace.definition set {named} where key = $1", key, *columns.values())
    if sweep:
        await swept(engine)


async def limit_queue(engine: Engine, queue: str = "default", **columns: Any) -> None:
    """Change what an operator may set of a queue."""
    names, values = ["queue", *columns], [queue, *columns.values()]
    places = ", ".join(f"${n}" for n in range(1, len(values) + 1))
    changes = ", ".join(f"{name} = excluded.{name}" for name in columns)
    await engine.db.execute(
        f"insert into headrace.queue_setting ({', '.join(names)}) values ({places})"
        f" on conflict (queue) do update set {changes}",
        *values,
    )
    await swept(engine)


async def tenant(engine: Engine, name: str, **columns: Any) -> None:
    """A tenant, with limits."""
    await engine.db.execute("insert into headrace.tenant (name) values ($1) on conflict do nothing", name)
    for column, value in columns.items():
        await engine.db.execute(f"update headrace.tenant set {column} = $2 where name = $1", name, value)
    await swept(engine)


async def swept(engine: Engine) -> None:
    """Sweep as a worker process does, until nothing is left to be marked.

    That waits for every open transaction of the server, so also for those of other tests.
    """

    async def nothing_is_left() -> bool:
        return not await regate_jobs(engine.db)

    await until("nothing is left to be marked", nothing_is_left)


async def age_tokens(engine: Engine, *, seconds: float) -> None:
    """As if that much time had passed since tokens were taken."""
    await engine.db.execute("update headrace.rate_bucket set at = at - make_interval(secs => $1)", seconds)
