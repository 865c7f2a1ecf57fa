"""What a login that is bound to one tenant must not do to others, with all the SQL that it may write."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import NamedTuple
from uuid import UUID

import asyncpg
import pytest
from tests.engine import Engine
from tests.logins import as_login

from headrace.db.connect import Endpoint, OwnConnection

READABLE = (
    *("job", "queue", "attempt", "progress", "trigger", "deleted_trigger", "fire", "delivery"),
    *("jobs", "queue_depth", "job_history", "schedule_status"),
)


class Bound(NamedTuple):
    """A login that acts for acme, the owner, and a job of either tenant."""

    login: OwnConnection
    owner: OwnConnection
    own: UUID
    others: UUID
    globex: int


@pytest.fixture
async def bound(engine: Engine) -> AsyncIterator[Bound]:
    """Two tenants; each has a job that waits and a schedule. Globex has a job that ended, too."""
    await engine.db.execute("insert into headrace.tenant (name) values ('acme'), ('globex')")
    own, others = await engine.enqueue(tenant="acme"), await engine.enqueue(tenant="globex")
    await engine.db.fetchval("select headrace.cancel($1)", await engine.enqueue(tenant="globex"))
    for tenant in ("acme", "globex"):
        await engine.db.execute("select headrace.schedule('nightly', 'work', '0 3 * * *', tenant => $1)", tenant)
    await engine.db.execute("select headrace.bind_login('test_integrator', 'acme')")
    globex = await engine.db.fetchval("select headrace._tenant_id('globex')")
    login = await Endpoint(as_login(engine.endpoint.url, "headrace_integrator")).connect("login")
    yield Bound(login, engine.db, own, others, globex)  # type: ignore[arg-type] # it is one of its own
    await login.close()


async def test_the_sql_api_works_for_the_tenant_that_the_login_is_bound_to(bound: Bound) -> None:
    login = bound.login
    job_id = await login.fetchval("select headrace.enqueue('work', '{\"n\": 1}')")
    many = await login.fetch("select headrace.enqueue_many('work', array['{}', '{}']::jsonb[], tenant => 'acme')")
    assert len(many) == 2
    assert await login.fetchval("select tenant from headrace.jobs where id = $1", job_id) == "acme"
    assert await login.fetchval("select headrace.cancel($1)", job_id)
    assert await login.fetchval("select headrace.retry($1)", job_id)
    assert await login.fetchval("select headrace.emit('folder.updated')")
    once = "select headrace.emit_once('folder.updated', '{}', 'key')"
    assert await login.fetchval(once) == await login.fetchval(once)
    assert await login.fetchval("select headrace.schedule('hourly', 'work', '0 * * * *')")
    assert '"success": true' in await login.fetchval("select headrace.trigger('hourly')")
    assert await login.fetchval("select headrace.unschedule('hourly')")
    assert await login.fetchval("select count(*) from headrace.schedule_status") == 1
    assert await login.fetchval("select sum(jobs) from headrace.queue_depth") == 5


async def test_what_is_anothers_is_not_there_whatever_the_login_sets(
    bound: Bound, record_property: Callable[[str, object], None]
) -> None:
    login, others = bound.login, bound.others
    verbs = {
        f"select headrace.enqueue('work', tenant => 'globex') -- {others}": "unknown tenant",
        "select headrace.enqueue_many('work', array['{}']::jsonb[], tenant => 'globex')": "unknown tenant",
        "select headrace.enqueue('work', tenant => null)": "unknown tenant",
        f"select headrace.cancel('{others}')": "unknown job",
        f"select headrace.retry('{others}')": "unknown job",
        "select headrace.emit('x', tenant => 'globex')": "unknown tenant",
        "select headrace.emit_once('x', '{}', 'k', tenant => 'globex')": "unknown tenant",
        "select headrace.schedule('nightly', 'work', '1 1 * * *', tenant => 'globex')": "unknown tenant",
        "select headrace.unschedule('nightly', 'globex')": "unknown tenant",
        "select headrace.trigger('nightly', 'globex')": "unknown tenant",
        "select headrace.enqueue('work', tenant => '_headrace')": "unknown tenant",
    }
    settings = ("", str(bound.globex), str(await bound.owner.fetchval("select headrace._system_tenant()")))
    record_property("cases", len(settings) * (len(verbs) + len(READABLE)))
    for setting in settings:
        await login.execute("select set_config('headrace.tenant_id', $1, false)", setting)
        for verb, why in verbs.items():
            with pytest.raises(asyncpg.PostgresError, match=why):
                await login.execute(verb)
        await login.execute("select set_config('headrace.tenant_id', $1, false)", setting)
        for table in READABLE:
            seen = " ".join(str(tuple(row)) for row in await login.fetch(f"select * from headrace.{table} as t"))
            assert "globex" not in seen, table
            assert str(others) not in seen, table
    await login.execute("select set_config('headrace.tenant_id', $1, false)", str(bound.globex))
    made = await login.fetchval("select headrace.enqueue('work')")
    assert await bound.owner.fetchval("select tenant from headrace.jobs where id = $1", made) == "acme"


async def test_a_login_writes_to_no_table_and_enters_by_no_inner_door(
    bound: Bound, record_property: Callable[[str, object], None]
) -> None:
    rights = """
        select c.relname::text from pg_class as c
         where c.relnamespace = 'headrace'::regnamespace
           and (has_table_privilege('test_integrator', c.oid, 'insert, update, delete, truncate, references, trigger')
                or has_any_column_privilege('test_integrator', c.oid, 'insert, update'))
           and c.relkind in ('r', 'p', 'v')"""
    assert await bound.owner.fetch(rights) == []
    inner = (
        "select headrace._job_ids(1)",
        "select headrace._lane('sneak', 1)",
        "select headrace._replace(gen_random_uuid(), gen_random_uuid())",
        "select headrace._delete_job(gen_random_uuid())",
        "select headrace._delete_expired('token', '0', 1)",
        "select headrace.search_log('', 'globex', null, null, null, null, null, 5, null, null, null, null)",
        "select headrace.own_live(null, null, 5, false)",
    )
    record_property("cases", len(inner) + 1)
    for statement in inner:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await bound.login.execute(statement)


async def test_a_login_that_is_bound_to_no_tenant_sees_and_does_nothing(bound: Bound) -> None:
    assert await bound.owner.fetchval("select headrace.unbind_login('test_integrator')")
    for setting in ("", str(bound.globex)):
        await bound.login.execute("select set_config('headrace.tenant_id', $1, false)", setting)
        assert await bound.login.fetchval("select count(*) from headrace.jobs") == 0
        for verb in ("enqueue('work')", "emit('x')", f"cancel('{bound.others}')", "trigger('nightly', 'globex')"):
            with pytest.raises(asyncpg.PostgresError, match="is bound to no tenant"):
                await bound.login.execute(f"select headrace.{verb}")


async def test_the_queue_and_the_origin_of_a_job_are_not_the_logins_to_say(bound: Bound) -> None:
    for option in ("queue => 'sneak'", "priority => 0"):
        await bound.login.execute("set headrace.any_place = on")
        with pytest.raises(asyncpg.PostgresError, match="may not choose the"):
            await bound.login.execute(f"select headrace.enqueue('work', {option})")
    await bound.owner.execute("update headrace.definition set system = true where key = 'work'")
    with pytest.raises(asyncpg.PostgresError, match="unknown definition"):
        await bound.login.execute("select headrace.enqueue('work')")
    await bound.owner.execute("update headrace.definition set system = false where key = 'work'")
    forged = "select headrace.enqueue('work', source => 'scheduler', created_by => 'the boss')"
    made = await bound.login.fetchval(forged)
    row = await bound.owner.fetchrow("select source, created_by from headrace.jobs where id = $1", made)
    assert tuple(row or ()) == ("sql", "test_integrator")


async def test_a_login_defines_sql_jobs_of_its_own_over_functions_that_are_granted_to_it(bound: Bound) -> None:
    await bound.owner.execute(
        "create function public.total(payload jsonb) returns jsonb language sql return '{}'::jsonb;"
        "create function public.clean(payload jsonb) returns jsonb language sql return '{}'::jsonb;"
        "grant execute on function public.total to test_integrator;"
        "select headrace.define_sql_job('theirs', 'public.clean')"
    )
    login = bound.login
    assert await login.fetchval("select headrace.define_sql_job('acme.total', 'public.total')")
    assert await login.fetchval("select headrace.define_sql_job('acme.total', 'public.total', 'Adds up.')")
    assert await bound.owner.fetchval("select app from headrace.definition where key = 'acme.total'") == "sql of acme"
    assert await login.fetchval("select headrace.enqueue('acme.total')")
    settings = """settings => '{"queue": "sneak"}'"""
    refused = {
        "select headrace.define_sql_job('acme.clean', 'public.clean')": "permission denied for function",
        "select headrace.define_sql_job('theirs', 'public.total')": 'does not begin with "acme."',
        "select headrace.define_sql_job('headrace.deliver_alert', 'public.total')": 'does not begin with "acme."',
        "select headrace.undefine_sql_job('theirs')": 'is a sql job of app "sql"',
        f"select headrace.define_sql_job('acme.in', 'total', {settings})": "are not its own",
        "select headrace.define_sql_job('acme.inner', 'headrace._zones')": "may not be run as jobs",
    }
    for statement, why in refused.items():
        with pytest.raises(asyncpg.PostgresError, match=why):
            await login.execute(statement)
    with pytest.raises(asyncpg.PostgresError, match="is reserved"):
        await bound.owner.execute("select headrace.define_sql_job('headrace.mine', 'public.total')")
    assert await login.fetchval("select headrace.undefine_sql_job('acme.total')")
    await bound.owner.execute("drop function public.total, public.clean")


@pytest.mark.parametrize("function", ["_refuse_leaving", "_refuse_system_job"])
async def test_on_a_table_of_its_own_a_login_has_the_owner_run_none_of_its_casts(bound: Bound, function: str) -> None:
    await bound.login.execute("create temporary table mine (job_id uuid, tenant_id int, definition_id int)")
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="permission denied for function"):
        await bound.login.execute(
            f"create trigger run_by_the_owner before insert on mine for each row execute function headrace.{function}()"
        )
