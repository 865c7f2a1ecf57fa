"""The schema: migrations, partitions, and what keeps the tables small."""

from __future__ import annotations

import shutil
from pathlib import Path

from headrace.config import Settings
from headrace.db.compare import applied_schema, find_difference, known_schema, shortened
from headrace.db.connect import Connection
from headrace.db.database import Database
from headrace.db.statements import statements
from headrace.db.upkeep import FEWEST_AHEAD
from headrace.service.doctor.finding import Finding, fail, ok, warn

SQL = statements(__file__)
FEWEST_LOG_DAYS_AHEAD = 1
LONG_TRANSACTION, VERY_LONG_TRANSACTION = 300.0, 3_600.0
MANY_DEAD = 100_000
LARGE_FOR_A_ROW = 4_096
LARGE = 64 * 1024 * 1024
GB = 1024**3
UPKEEP = "run a worker, or headrace serve: their upkeep makes partitions every hour"


async def migrations(conn: Connection) -> Finding:
    """Whether the schema is that of this version."""
    known = known_schema()
    differs = find_difference(await applied_schema(conn), known)
    if differs is None:
        return ok("migrations", f"all {len(known.steps)} are applied, with {len(known.functions)} function files")
    names = differs.names
    match differs.kind:
        case "missing":
            if await conn.fetchval(SQL["is_being_migrated"]):
                applied = len(known.steps) - len(names)
                detail = f"the database is being migrated: {applied} of {len(known.steps)} are applied"
                return warn("migrations", detail, "run headrace doctor again in a moment")
            return fail("migrations", f"{len(names)} of {len(known.steps)} are missing", "headrace db migrate")
        case "newer":
            return fail("migrations", "the database was migrated by a newer version", "install that version here")
        case "baseline":
            detail = f"the database was made with another baseline ({names[0]})"
            return fail("migrations", detail, "headrace db migrate shows how to make it anew")
        case "changed":
            return fail("migrations", "the database has other migrations than this version", "see headrace db status")
        case "functions":
            detail = f"function files of the database differ from this version's: {shortened(names)}"
            return fail("migrations", detail, "headrace db migrate")


async def partitions(conn: Connection) -> list[Finding]:
    """Whether there is room for the coming weeks of jobs and the coming days of lines."""
    jobs, logs = await conn.fetchrow(SQL["ahead"]) or (0, 0)
    findings = []
    if jobs < FEWEST_AHEAD:
        findings.append(fail("partitions", f"{jobs} weeks ahead for jobs, {FEWEST_AHEAD} wanted", UPKEEP))
    if logs < FEWEST_LOG_DAYS_AHEAD:
        findings.append(fail("partitions", f"{logs} days ahead for log lines, {FEWEST_LOG_DAYS_AHEAD} wanted", UPKEEP))
    return findings or [ok("partitions", f"{jobs} weeks ahead for jobs, {logs} days for log lines")]


async def detaches(conn: Connection) -> list[Finding]:
    """Partitions that were being detached when somebody died."""
    pending = [row[0] for row in await conn.fetch(SQL["pending_detaches"])]
    if not pending:
        return [ok("detaches", "no detach is pending")]
    table = f"{len(pending)} partitions are half detached: {', '.join(pending[:3])}"
    return [
        warn(
            "detaches",
            table,
            "a worker's upkeep completes the detach within the hour; else run ALTER TABLE … DETACH … FINALIZE",
        )
    ]


async def bloat(conn: Connection) -> list[Finding]:
    """Whether vacuum keeps up with the queue, through which every job goes."""
    dead, live, size, vacuumed = await conn.fetchrow(SQL["queue_bloat"]) or (0, 0, 0, None)
    when = "never" if vacuumed is None else f"{vacuumed:.0f} s ago"
    detail = f"the queue has {live} rows and {dead} dead ones in {size / 1024**2:.1f} MB; vacuumed {when}"
    if (size > LARGE and size > LARGE_FOR_A_ROW * max(live, 1)) or dead > max(MANY_DEAD, 10 * live):
        return [warn("bloat", detail, "end long transactions (see snapshots), then VACUUM headrace.queue")]
    return [ok("bloat", detail)]


async def snapshots(conn: Connection) -> list[Finding]:
    """Who keeps vacuum from removing anything: transactions, prepared ones, and replication slots."""
    rows = await conn.fetch(SQL["holders"])
    old = [row for row in rows if row["seconds"] > LONG_TRANSACTION]
    if not old:
        longest = max((row["seconds"] for row in rows), default=0.0)
        return [ok("snapshots", f"the oldest transaction is {longest:.0f} s old")]
    worst = old[0]
    detail = f"{worst['what']} holds a snapshot for {worst['seconds'] / 60:.0f} min; vacuum removes nothing newer"
    level = fail if worst["seconds"] > VERY_LONG_TRANSACTION else warn
    return [level("snapshots", detail, worst["way_out"])]


async def disk(database: Database, settings: Settings, conn: Connection) -> list[Finding]:
    """Room on the disk, where it is ours to see."""
    size = await conn.fetchval(SQL["database_size"])
    takes = f"the database takes {size / GB:.2f} GB"
    if not database.embedded:
        return [ok("disk", f"{takes}; the free space of its disk is unknown here")]
    usage = shutil.disk_usage(Path(settings.data_dir))
    detail = f"{takes}; {usage.free / GB:.1f} of {usage.total / GB:.1f} GB are free"
    do = "free some space, or shorten retention: see headrace config show"
    if usage.free < max(GB / 4, 0.01 * usage.total):
        return [fail("disk", detail, do)]
    return [warn("disk", detail, do)] if usage.free < max(GB, 0.05 * usage.total) else [ok("disk", detail)]
