"""What keeps the hot table hot: nothing wide in it, nothing that ties it to history."""

from __future__ import annotations

from headrace.db.connect import Connection


async def test_the_hot_table_has_no_payload_no_json_and_only_partial_indexes(connection: Connection) -> None:
    types = await connection.fetch(
        "select attname, format_type(atttypid, atttypmod) as type from pg_attribute"
        " where attrelid = 'headrace.queue'::regclass and attnum > 0 and not attisdropped"
    )
    assert not [row["attname"] for row in types if row["type"] in ("json", "jsonb", "bytea", "xml")]
    whole = await connection.fetch(
        "select relname::text as name from pg_index join pg_class on pg_class.oid = indexrelid"
        " where indrelid = 'headrace.queue'::regclass and indpred is null"
    )
    assert [row["name"] for row in whole] == ["queue_pkey"]


async def test_no_foreign_key_ties_jobs_queue_and_attempts_together(connection: Connection) -> None:
    ties = await connection.fetch(
        "select conname from pg_constraint where contype = 'f'"
        " and conrelid in ('headrace.job'::regclass, 'headrace.queue'::regclass, 'headrace.attempt'::regclass)"
    )
    assert ties == []


async def test_there_is_no_default_partition(connection: Connection) -> None:
    assert await connection.fetch("select from pg_partitioned_table where partdefid <> 0") == []
