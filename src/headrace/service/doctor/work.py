"""The work: who does it, what waits for nobody, and what fires."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.system import SYSTEM_PREFIX, SYSTEM_QUEUE
from headrace.service.doctor.finding import Finding, fail, ok, warn
from headrace.triggers.health import trigger_warnings

SQL = statements(__file__)
START = "start a worker with headrace worker, or find out why it stopped"


async def workers(conn: Connection) -> list[Finding]:
    """Whether somebody works, is late with a heartbeat, or was lost."""
    live, stale, lost, silent = await conn.fetchrow(SQL["workers"]) or (0, [], [], [])
    findings = []
    if not live:
        findings.append(warn("workers", "no worker is live: jobs wait", START))
    if stale:
        names = ", ".join(stale[:3])
        findings.append(
            warn(
                "workers",
                f"{len(stale)} have missed a heartbeat: {names}",
                "check whether the machine is asleep or overloaded",
            )
        )
    if lost:
        names = ", ".join(lost[:3])
        findings.append(
            warn("workers", f"{len(lost)} were lost in the last hour: {names}", "read their last log lines")
        )
    if silent:
        detail = f"{len(silent)} of them were silent while their process lived: {', '.join(silent[:3])}"
        findings.append(
            warn("workers", detail, 'a handler may hold the GIL: declare that handler with isolation="process"')
        )
    return findings or [ok("workers", f"{live} live, none stale, none lost in the last hour")]


async def waiting(conn: Connection) -> list[Finding]:
    """Jobs that no live worker can run."""
    rows = await conn.fetch(SQL["unserved"])
    return [_unserved(**row) for row in rows] or [ok("waiting", "every waiting job has a worker that can run it")]


def _unserved(definition: str, queue: str, kind: str, gone: bool) -> Finding:
    detail = f'jobs of "{definition}" wait in queue "{queue}", and no live worker '
    if not gone:
        do = "start a worker that knows the definition, or cancel the jobs: headrace jobs bulk"
        return fail("waiting", f"{detail}runs them", do)
    detail += "knows it: it was undefined" if kind == "sql" else "knows it: it was deleted from code"
    do = f"start a worker that still has the definition, or cancel the jobs: headrace jobs bulk cancel -d {definition}"
    return fail("waiting", detail, do)


async def builtin(conn: Connection) -> list[Finding]:
    """Whether somebody runs what Headrace does for itself; without any worker that is not the trouble."""
    live, able = await conn.fetchrow(SQL["builtin_workers"], SYSTEM_QUEUE, f"{SYSTEM_PREFIX}%") or (0, 0)
    if live and not able:
        detail = "no live worker runs them: nothing is pruned and no alert is sent"
        return [warn("built-in jobs", detail, "start a worker with a login to the database and builtin.enabled = true")]
    return [ok("built-in jobs", f"{able} live workers run them")] if live else []


async def alerts(conn: Connection) -> list[Finding]:
    """Alerts that are open."""
    rows = await conn.fetch(SQL["open_alerts"])
    if not rows:
        return [ok("alerts", "no alert is open")]
    named = ", ".join(f"{row['rule']} ({row['subject']})" for row in rows[:3])
    return [warn("alerts", f"{rows[0]['n']} open: {named}", "see headrace alerts list")]


async def triggers(conn: Connection) -> list[Finding]:
    """Triggers that are late, in error, or fire for nobody."""
    warnings = await trigger_warnings(conn)
    return [warn("triggers", warning, "see headrace triggers list") for warning in warnings] or [
        ok("triggers", "no trigger is late or in error")
    ]
