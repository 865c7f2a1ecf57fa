"""Wiping a test's database, so that the next test can have it."""

from __future__ import annotations

from typing import Any

import asyncpg
import psycopg
from tests.waiting import wait_until

# Everything that DDL would leave different: tables, columns, constraints, functions and triggers of the schema.
SHAPE = """
    select md5(string_agg(part, ' ' order by part)) from (
      select relname::text || relfilenode::text from pg_class where relnamespace = 'headrace'::regnamespace
      union all select attrelid::text || attname || atttypid::text
        from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = 'headrace'::regnamespace and relkind in ('r', 'p', 'v')
      union all select conname || conrelid::text from pg_constraint where connamespace = 'headrace'::regnamespace
      union all select proname || md5(prosrc) from pg_proc where pronamespace = 'headrace'::regnamespace
      union all select tgname || tgenabled::text from pg_trigger join pg_class on pg_class.oid = tgrelid
        where relnamespace = 'headrace'::regnamespace
      union all select 'setting ' || unnest(setconfig) from pg_db_role_setting
    ) as parts (part)
"""
TABLES = (
    *("queue", "attempt", "job", "idempotency", "progress", "waiter"),
    *("trigger", "deleted_trigger", "fire", "fired_once", "dedupe", "event_inbox", "delivery", "event", "event_key"),
    *("rollup_delta", "rollup", "rollup_hour", "rollup_total", "queue_sample"),
    *("log", "session", "token", "audit", "operation", "lane", "worker", "definition_pause", "rate_bucket"),
    *("definition", "queue_pause", "queue_setting", "queue_share", "tenant_pause", "default_schedule"),
    *("alert_delivery", "alert_notice", "alert", "alert_rule", "alert_target"),
)
LARGEST = 4 * 1024 * 1024
WIPE = "; ".join(
    [
        *(f"delete from headrace.{table}" for table in TABLES),
        "delete from headrace.tenant where name <> 'default' and not system",
        "update headrace.tenant set max_running = default, weight = default",
        "delete from headrace.regate",
        "delete from headrace.integrator",
        "update headrace.event_watch set armed = true where not armed",
        "update headrace.rollup_turn set folded_at = default, sampled_at = default",
        "update headrace.alert_turn set looked_at = default, took = default",
        "update headrace.sql_setting set allowed_schemas = default where allowed_schemas <> '{public}'",
    ]
)


async def remember_shape(url: str) -> None:
    """Keep the shape in the template, from where each copy has it."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(f"create table public.shape as {SHAPE}")
    finally:
        await connection.close()


# One session for each database, kept from test to test: a new one would spend ten times as long on its plans. It
# belongs to no event loop, for each test has one of its own.
_sessions: dict[str, psycopg.Connection[tuple[Any, ...]]] = {}


def wipe(url: str) -> bool:
    """Empty the tables; false when the test changed more than rows, or left too much behind."""
    session = _sessions.get(url)
    if session is None or session.closed:
        session = _sessions[url] = psycopg.connect(url, autocommit=True, application_name="wiping", prepare_threshold=2)
    wait_until("nobody else is connected", lambda: _is_alone(session))
    if _value(session, SHAPE) != _value(session, "select * from public.shape"):
        return False
    if _value(session, "select pg_total_relation_size('headrace.queue')") > LARGEST:
        return False
    session.execute(WIPE)
    others = "select count(*) from pg_class where relnamespace = 'public'::regnamespace and relname <> 'shape'"
    return bool(_value(session, others) == 0)


def leave(url: str) -> None:
    """The database goes."""
    session = _sessions.pop(url, None)
    if session is not None:
        session.close()


def leave_all() -> None:
    """A server may stop with the last who uses it; who wipes there again opens another session."""
    for session in _sessions.values():
        session.close()


def _is_alone(session: psycopg.Connection[tuple[Any, ...]]) -> bool:
    ended = session.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid()"
    ).fetchall()
    return not ended


def _value(session: psycopg.Connection[tuple[Any, ...]], query: str) -> Any:
    row = session.execute(query).fetchone()
    return None if row is None else row[0]
