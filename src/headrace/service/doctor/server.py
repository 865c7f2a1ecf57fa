"""The server itself: its version, its settings, its clock, and whether what it says is heard."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import Any

from headrace.config import Settings
from headrace.db.connect import Connection
from headrace.db.database import Database
from headrace.db.server_check import OLDEST_VERSION, SKEW_WORTH_A_WARNING, check_server
from headrace.db.statements import statements
from headrace.service.doctor.finding import Finding, fail, ok, warn

SQL = statements(__file__)
HEARD_WITHIN = 3.0
SLOW_TO_HEAR = 0.5
CROWDED = 0.8
# Setting, the value it should have, what is at stake.
WANTED = [
    ("autovacuum", "on", "fail", "the queue grows without end and gets slow"),
    ("full_page_writes", "on", "warn", "a crash may damage tables"),
    ("synchronous_commit", "on", "warn", "jobs that were accepted may be lost in a crash"),
    ("track_counts", "on", "fail", "autovacuum has no statistics"),
]
# These keep a promise as well as `on` does.
AS_GOOD = {"synchronous_commit": ("remote_apply", "remote_write", "local")}


async def server(database: Database, conn: Connection) -> list[Finding]:
    """Which PostgreSQL it is; too old a one was refused before."""
    version = await conn.fetchval(SQL["version"])
    whose = "embedded" if database.embedded else "yours"
    return [ok("server", f"PostgreSQL {version} ({whose}); {OLDEST_VERSION} or newer is supported")]


async def server_settings(conn: Connection) -> list[Finding]:
    """Settings of the server that jobs depend on, and how many connections are left."""
    rows = await conn.fetch(SQL["settings"], [name for name, *_ in WANTED])
    values: dict[str, str] = {row["name"]: row["setting"] for row in rows}
    bad = [
        (warn if level == "warn" else fail)(
            "settings", f"{name} = {values[name]}: {stake}", f"ALTER SYSTEM SET {name} = {wanted}, then reload"
        )
        for name, wanted, level, stake in WANTED
        if values[name] != wanted and values[name] not in AS_GOOD.get(name, ())
    ]
    used, most = await conn.fetchrow(SQL["connections"]) or (0, 1)
    if used > CROWDED * most:
        bad.append(
            warn(
                "settings", f"{used} of {most} connections are in use", "raise max_connections, or use fewer processes"
            )
        )
    return bad or [ok("settings", f"durable, with autovacuum; {used} of {most} connections are in use")]


async def clock(database: Database) -> list[Finding]:
    """How far this machine's clock is from the database's."""
    skew = database.report.clock_skew
    if abs(skew) > SKEW_WORTH_A_WARNING:
        return [warn("clock", f"this machine is {skew:+.1f} s from the database", "synchronise both clocks with NTP")]
    return [ok("clock", f"within {abs(skew):.1f} s of the database's")]


async def pooler(database: Database, settings: Settings) -> list[Finding]:
    """What stands before the server, and whether we were told the truth about it."""
    declared = settings.database.pooler
    pooled = database.report.pooled if declared == "auto" else (await check_server(database.endpoint.url)).pooled
    if pooled and declared == "none":
        return [
            fail(
                "pooler",
                'a transaction pooler is in front of the server, and database.pooler = "none"',
                'set database.pooler = "auto", or connect directly',
            )
        ]
    if pooled:
        return [
            warn(
                "pooler",
                "a transaction pooler is in front of the server: workers poll",
                "connect directly or through a session pool for lower latency",
            )
        ]
    note = ' (database.pooler = "transaction" is not needed)' if declared == "transaction" else ""
    return [ok("pooler", f"none, or a session pool{note}")]


async def notifications(database: Database, conn: Connection) -> list[Finding]:
    """Whether a NOTIFY of one session is heard by another, and how soon."""
    if database.endpoint.pooled:
        return [
            warn(
                "notifications",
                "notifications do not arrive behind a transaction pooler",
                "connect directly for lower latency",
            )
        ]
    seconds = await _time_to_hear(database, conn)
    if seconds is None:
        return [
            fail(
                "notifications",
                f"a NOTIFY did not arrive within {HEARD_WITHIN:g} s",
                "look for a pooler in between, and for a long transaction of a listening session",
            )
        ]
    if seconds > SLOW_TO_HEAR:
        return [
            warn(
                "notifications", f"a NOTIFY arrived after {seconds:.1f} s", "the server is busy, or the network is slow"
            )
        ]
    return [ok("notifications", f"a NOTIFY arrived after {seconds * 1000:.0f} ms")]


async def _time_to_hear(database: Database, conn: Connection) -> float | None:
    channel = f"headrace_probe_{secrets.token_hex(8)}"
    heard = asyncio.Event()

    def hear(*_: Any) -> None:
        heard.set()

    listener = await database.endpoint.connect("doctor")
    try:
        await listener.add_listener(channel, hear)
        started = time.monotonic()
        await conn.execute(SQL["notify"], channel)
        try:
            await asyncio.wait_for(heard.wait(), HEARD_WITHIN)
        except TimeoutError:
            return None
        return time.monotonic() - started
    finally:
        listener.terminate()
