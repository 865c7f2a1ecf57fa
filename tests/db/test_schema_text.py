"""`db/schema.sql` is what migrations and functions make, and there for reading."""

from __future__ import annotations

from scripts.write_schema import SCHEMA, schema_text, text_of_new_database

from headrace.db.connect import Endpoint
from headrace.db.function_files import read_function_files
from headrace.db.migrate import migrate, rollback


async def test_the_committed_schema_is_the_one_that_a_migration_makes(empty_database_url: str) -> None:
    assert SCHEMA.read_text("utf-8") == await text_of_new_database(empty_database_url), "run `make docs`"


async def test_the_text_is_the_same_whatever_the_order_in_which_the_schema_was_made(empty_database_url: str) -> None:
    endpoint = Endpoint(empty_database_url)
    files = sorted(read_function_files(), key=lambda file: file.kind)
    await migrate(endpoint, functions=files)
    await rollback(endpoint, steps=99)
    await migrate(endpoint, functions=files)
    conn = await endpoint.connect("test")
    try:
        assert SCHEMA.read_text("utf-8") == await schema_text(conn)
        changes = (
            "alter table headrace.tenant add column colour text",
            "alter table headrace.worker alter column running set default 1",
            "drop index headrace.queue_held",
            "alter table headrace.queue drop constraint run_counts_claims",
            "drop trigger count_enqueued on headrace.queue",
            "drop policy own on headrace.job",
            "revoke select (schemas) on headrace.worker from headrace_tenant",
            "revoke all on function headrace.jobs_ahead from headrace_tenant",
            "create or replace function headrace._zones() returns setof text language sql stable as $$ select 'UTC' $$",
            "alter view headrace.jobs set (security_invoker = false)",
            "alter type headrace.worker_state add value 'new'",
        )
        for change in changes:
            before = await schema_text(conn)
            await conn.execute(change)
            assert await schema_text(conn) != before, change
    finally:
        await conn.close()
