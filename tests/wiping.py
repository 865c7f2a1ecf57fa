"""Wiping a test's database, so that the next test can have it."""

from __future__ import annotations

import asyncpg
from tests.waiting import until

from headrace.db.connect import Connection

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
    *("trigger", "deleted_trigger", "fire", "fired_once", "dedupe", "event_inbox", "delivery", "event"),
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


async def wipe(url: str) -> bool:
    """Empty the tables; false when the test changed more than rows, or left too much behind."""
    connection = await asyncpg.connect(url)
    try:
        await until("nobody else is connected", lambda: _alone(connection))
        if await connection.fetchval(SHAPE) != await connection.fetchval("select * from public.shape"):
            return False
        if await connection.fetchval("select pg_total_relation_size('headrace.queue')") > LARGEST:
            return False
        await connection.execute(WIPE)
        others = await connection.fetchval(
            "select count(*) from pg_class where relnamespace = 'public'::regnamespace and relname <> 'shape'"
        )
        return int(others) == 0
    finally:
        await connection.close()


async def _alone(connection: Connection) -> bool:
    ended = await connection.fetch(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid()"
    )
    return not ended
