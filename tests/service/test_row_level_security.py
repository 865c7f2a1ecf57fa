"""The second wall: what the database itself keeps from a tenant, should the service forget."""

from __future__ import annotations

import asyncpg
import pytest
from tests.api.conftest import Api
from tests.service.seeding import BOTH, seed_everything

from headrace.service.principal import Principal
from headrace.service.session import begin

OF_ONE_TENANT = [
    *("job", "queue", "attempt", "idempotency", "log", "trigger", "deleted_trigger", "event", "audit", "operation"),
    *("progress", "waiter", "fire", "fired_once", "dedupe", "delivery", "rollup", "rollup_hour", "rollup_total"),
    *("queue_sample", "tenant", "alert_target", "alert_rule", "alert", "alert_notice", "alert_delivery"),
]


async def principal_of(api: Api, tenant: str) -> Principal:
    """A tenant's admin."""
    async with api.hr.database.pool.acquire() as conn:
        number = await conn.fetchval("select id from headrace.tenant where name = $1", tenant)
    return Principal("test", "tenant_admin", tenant, number)


@pytest.mark.parametrize("table", OF_ONE_TENANT)
async def test_a_tenant_sees_its_own_rows_however_it_asks(api: Api, table: str) -> None:
    await seed_everything(api)
    counts = {}

    for tenant in BOTH:
        async with begin(api.hr, await principal_of(api, tenant), "jobs.list") as act:
            counts[tenant] = await act.conn.fetchval(f"select count(*) from headrace.{table}")

    async with api.hr.database.pool.acquire() as conn:
        everything = await conn.fetchval(f"select count(*) from headrace.{table}")
    assert all(counts.values()), f"nothing was seeded in {table}: {counts}"
    assert sum(counts.values()) <= everything
    assert max(counts.values()) < everything


COPY = """
    insert into headrace.{table}
    select (jsonb_populate_record(t, jsonb_build_object('tenant_id', {tenant}, 'id', (headrace._job_ids(1))[1]))).*
      from headrace.{table} as t limit 1
"""


@pytest.mark.parametrize("table", ["job", "queue", "attempt", "trigger", "event", "operation", "alert_rule", "alert"])
async def test_a_tenant_cannot_write_rows_of_another(api: Api, table: str) -> None:
    await seed_everything(api)
    globex = (await principal_of(api, "globex")).tenant_id
    change = COPY if table in ("job", "event") else "update headrace.{table} set tenant_id = {tenant}"

    async with begin(api.hr, await principal_of(api, "acme"), "jobs.list") as act:
        assert await act.conn.fetchval(f"select count(*) from headrace.{table}")
        savepoint = act.conn.transaction()
        await savepoint.start()
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await act.conn.execute(change.format(table=table, tenant=globex))
        await savepoint.rollback()


async def test_without_a_tenant_the_role_sees_nothing(api: Api) -> None:
    await seed_everything(api)
    async with api.hr.database.tenant_pool.acquire() as conn, conn.transaction():
        await conn.execute("set local role headrace_tenant")
        for table in OF_ONE_TENANT:
            assert await conn.fetchval(f"select count(*) from headrace.{table}") == 0, table


async def test_partitions_and_secrets_are_not_the_roles_to_read(api: Api) -> None:
    async with begin(api.hr, await principal_of(api, "acme"), "jobs.list") as act:
        partitions = await act.conn.fetch(
            "select c.relname from pg_inherits join pg_class as c on c.oid = inhrelid"
            " join pg_class as p on p.oid = inhparent where p.relname in ('job', 'attempt', 'log') and c.relkind = 'r'"
        )
        assert len(partitions) > 3
        for table in [
            *(row[0] for row in partitions),
            "token",
            "session",
            "rollup_delta",
            "event_inbox",
            "sql_setting",
        ]:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                async with act.conn.transaction():
                    await act.conn.fetch(f"select * from headrace.{table} limit 1")


async def test_the_role_is_left_with_the_transaction(api: Api) -> None:
    async with begin(api.hr, await principal_of(api, "acme"), "jobs.list"):
        pass
    async with api.hr.database.tenant_pool.acquire() as conn:
        assert await conn.fetchval("select current_user = session_user")
        assert await conn.fetchval("select headrace._current_tenant()") is None


async def test_the_search_of_a_tenant_finds_its_own_lines_alone(api: Api) -> None:
    await seed_everything(api)
    async with begin(api.hr, await principal_of(api, "acme"), "jobs.list") as act:
        found = await act.conn.fetchval(
            "select hits from headrace.search_own_log('', null, null, null, null, null, 50, null, null, null, null)"
        )
        assert '"acme"' in found
        assert '"globex"' not in found
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with act.conn.transaction():
                await act.conn.fetch(
                    "select headrace.search_log('', 'globex', null, null, null, null, null, 50, null, null, null, null)"
                )
