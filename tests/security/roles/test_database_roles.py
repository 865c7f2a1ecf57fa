"""What a login that holds one role of the database must not do, tried with SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import asyncpg
import pytest
from tests.engine import Engine
from tests.logins import as_login

from headrace.db.connect import Connection, Endpoint
from headrace.db.roles import ROLES
from headrace.rollups.sample import sample_queue
from headrace.service.metrics.service import SQL as METRICS

REFUSED = (asyncpg.InsufficientPrivilegeError,)
LOGINS = [role for role in ROLES if role != "headrace_tenant"]
# Who may read what is secret: nobody reads the list of bindings, and only servers know tokens and sessions.
SECRETS = {
    "token": {"headrace_server"},
    "session": {"headrace_server"},
    "audit": {"headrace_server"},
    "integrator": set[str](),
    "alert_target": {"headrace_server", "headrace_worker"},
    "log": {"headrace_server", "headrace_worker"},
    "operation": {"headrace_server"},
}
# Who may change what is run, and what only workers and servers write.
WRITES = {
    "update headrace.definition set enabled = false": {"headrace_worker", "headrace_server"},
    "insert into headrace.definition (key, kind, app, hash) values ('mine', 'python', 'x', '')": {
        "headrace_worker",
        "headrace_server",
    },
    "update headrace.tenant set max_running = 1": {"headrace_server"},
    "insert into headrace.tenant (name) values ('mine')": {"headrace_server"},
    "update headrace.worker set state = 'lost'": {"headrace_worker", "headrace_server"},
    "delete from headrace.job": {"headrace_worker", "headrace_server"},
    "delete from headrace.attempt": {"headrace_worker", "headrace_server"},
    "insert into headrace.queue_pause (queue, paused_by) values ('default', 'me')": {"headrace_server"},
    "update headrace.sql_setting set allowed_schemas = '{headrace}'": set[str](),
    "insert into headrace.token (name, hash, role, created_by) values ('x', sha256('x'), 'super_admin', 'x')": {
        "headrace_server"
    },
    "select headrace.search_log('', 'default', null, null, null, null, null, 5, null, null, null, null)": {
        "headrace_server"
    },
    "update headrace.partition set suffix = 'x'": set[str](),
    "delete from headrace.migration": set[str](),
    "update headrace.function_file set checksum = ''": set[str](),
    "delete from headrace.audit": set[str](),
}
# What makes or changes objects, or another of oneself.
TAKEOVERS = (
    "create table headrace.mine ()",
    "create function headrace.mine() returns int language sql as 'select 1'",
    "create or replace function headrace._job_ids(n int) returns uuid[] language sql as 'select null::uuid[]'",
    "alter function headrace._make_partitions() security invoker",
    "alter table headrace.job disable row level security",
    "create policy mine on headrace.token using (true)",
    "drop policy bound on headrace.job",
    "create trigger mine before insert on headrace.job for each row execute function headrace._tell_lanes_changed()",
    "truncate headrace.queue",
    "drop table headrace.token",
    "alter schema headrace rename to mine",
    "create schema mine",
    "create table public.mine ()",
    "select headrace._create_partition(now() - interval '9 years', now() - interval '8 years')",
    "select headrace.bind_login('test_integrator', 'default')",
    "alter role headrace_tenant bypassrls",
    "set session authorization headrace",
    "grant headrace_server to current_user",
)
IS_LEAVING = (
    "select headrace._drop_leaving_week((select suffix from headrace.partition order by lower_bound limit 1))",
    "select headrace._drop_leaving_week('mine')",
    "select headrace._drop_leaving_day((select suffix from headrace.log_partition order by lower_bound limit 1))",
)


async def allowed(login: Connection, statement: str) -> bool:
    """Whether it is carried out, and then taken back."""
    attempt = login.transaction()
    await attempt.start()
    try:
        await login.execute(statement)
    except REFUSED:
        return False
    finally:
        await attempt.rollback()
    return True


async def wrong(engine: Engine, role: str, statements: Iterable[str], may: Callable[[str], bool]) -> list[str]:
    """Which of these the holder of the role can carry out and should not, or cannot and should."""
    login = await Endpoint(as_login(engine.endpoint.url, role)).connect("login")
    try:
        return [statement for statement in statements if await allowed(login, statement) != may(statement)]
    finally:
        await login.close()


@pytest.mark.parametrize("role", LOGINS)
async def test_secrets_are_read_by_those_who_need_them(
    engine: Engine, role: str, record_property: Callable[[str, object], None]
) -> None:
    record_property("cases", len(SECRETS))
    reads = {f"select * from headrace.{table}": who for table, who in SECRETS.items()}
    assert await wrong(engine, role, reads, lambda statement: role in reads[statement]) == []


@pytest.mark.parametrize("role", LOGINS)
async def test_rows_are_written_by_those_whose_work_it_is(
    engine: Engine, role: str, record_property: Callable[[str, object], None]
) -> None:
    record_property("cases", len(WRITES))
    assert await wrong(engine, role, WRITES, lambda statement: role in WRITES[statement]) == []


@pytest.mark.parametrize("role", LOGINS)
async def test_a_role_makes_and_changes_no_objects_and_becomes_no_other(
    engine: Engine, role: str, record_property: Callable[[str, object], None]
) -> None:
    others = [f"set role {other}" for other in (*ROLES, "headrace") if other != role]
    tries = [*TAKEOVERS, *others]
    record_property("cases", len(tries))
    may = {"set role headrace_tenant"} if role == "headrace_server" else set[str]()
    assert await wrong(engine, role, tries, lambda statement: statement in may) == []


@pytest.mark.parametrize("role", ["headrace_worker", "headrace_server"])
async def test_upkeep_drops_no_partition_that_is_in_use(engine: Engine, role: str) -> None:
    login = await Endpoint(as_login(engine.endpoint.url, role)).connect("login")
    await login.execute(
        "update headrace.partition set leaving = true; update headrace.log_partition set leaving = true"
    )
    for statement in IS_LEAVING:
        with pytest.raises(asyncpg.PostgresError, match="is not leaving"):
            await login.execute(statement)
    await login.execute(
        "update headrace.partition set leaving = false; update headrace.log_partition set leaving = false"
    )
    await login.close()


@pytest.mark.parametrize("role", ["headrace_metrics", "headrace_app"])
async def test_what_a_role_is_there_to_read_it_reads_of_every_tenant(engine: Engine, role: str) -> None:
    await engine.db.execute("insert into headrace.tenant (name) values ('acme')")
    await engine.enqueue(tenant="acme")
    await sample_queue(engine.db)
    login = await Endpoint(as_login(engine.endpoint.url, role)).connect("login")
    if role == "headrace_metrics":
        tenants = [await engine.db.fetchval("select headrace._tenant_id('acme')")]
        arguments = {"busiest": (10,), "totals": (tenants, [1]), "histograms": ([1],), "depth": (tenants,)}
        for name, statement in METRICS.items():
            await login.fetch(statement, *arguments.get(name, ()))
        assert [row["jobs"] for row in await login.fetch(METRICS["depth"], tenants)] == [1]
    else:
        for view in ("jobs", "queue_depth", "job_history", "schedule_status"):
            await login.fetch(f"select * from headrace.{view}")
        assert await login.fetchval("select tenant from headrace.jobs") == "acme"
    await login.close()
