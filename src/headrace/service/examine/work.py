"""The work: who does it, what waits for nobody, and what fires."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.service.examine.finding import Finding, fail, ok, warn
from headrace.triggers.health import trigger_warnings

SQL = statements(__file__)
START = "start one with headrace worker, or look at why it stopped"


async def workers(conn: Connection) -> list[Finding]:
    """Whether somebody works, is late with a heartbeat, or was lost."""
    live, stale, lost = await conn.fetchrow(SQL["workers"]) or (0, [], [])
    found = []
    if not live:
        found.append(warn("workers", "none is live: jobs wait", START))
    if stale:
        names = ", ".join(stale[:3])
        found.append(
            warn("workers", f"{len(stale)} have missed a heartbeat: {names}", "is the machine asleep or overloaded?")
        )
    if lost:
        names = ", ".join(lost[:3])
        found.append(warn("workers", f"{len(lost)} were lost in the last hour: {names}", "read what they last logged"))
    return found or [ok("workers", f"{live} live, none stale, none lost in the last hour")]


async def waiting(conn: Connection) -> list[Finding]:
    """Jobs that no live worker can run."""
    rows = await conn.fetch(SQL["unserved"])
    return [
        fail(
            "waiting",
            f'jobs of "{row["definition"]}" wait in queue "{row["queue"]}", and no live worker runs them',
            "start a worker that knows them, or cancel them: headrace jobs bulk",
        )
        for row in rows
    ] or [ok("waiting", "every waiting job has a worker that can run it")]


async def triggers(conn: Connection) -> list[Finding]:
    """Triggers that are late, in error, or fire for nobody."""
    warnings = await trigger_warnings(conn)
    return [warn("triggers", said, "see headrace triggers list") for said in warnings] or [
        ok("triggers", "none is late or in error")
    ]
