"""The table of rights: a new table, view or function has a line in it, and what is gone has none."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.roles import ROLES, list_roles

OBJECTS = """
select relname::text from pg_class as c
 where relnamespace = 'headrace'::regnamespace and not relispartition
   and (relkind in ('r', 'p', 'v')
        or (relkind = 'S' and not exists (select from pg_depend where objid = c.oid and deptype = 'i')))
 union all
select proname::text from pg_proc
 where pronamespace = 'headrace'::regnamespace and prosecdef and prorettype <> 'trigger'::regtype
"""
OPEN_TO_ALL = """
select p.oid::regprocedure::text
  from pg_proc as p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as x
 where p.pronamespace = 'headrace'::regnamespace and p.prosecdef and x.grantee = 0
"""
LOOSE = """
select p.oid::regprocedure::text from pg_proc as p
 where p.pronamespace = 'headrace'::regnamespace and p.prosecdef
   and not coalesce('search_path=pg_catalog, pg_temp' = any(p.proconfig), false)
"""
UNGUARDED = """
select c.relname::text from pg_class as c
 where c.relnamespace = 'headrace'::regnamespace and c.relrowsecurity and not c.relispartition
   and (not exists (select from pg_policy where polrelid = c.oid and polname = 'every_tenant')
        or (exists (select from pg_attribute where attrelid = c.oid and attname = 'tenant_id')
            and not exists (select from pg_policy where polrelid = c.oid and polname = 'bound' and not polpermissive)))
"""


async def column(conn: Connection, query: str) -> list[str]:
    return [row[0] for row in await conn.fetch(query)]


async def test_everything_that_needs_rights_has_one_line_in_the_table_of_rights(connection: Connection) -> None:
    lines = await column(connection, "select what from headrace._rights()")
    assert len(lines) == len(set(lines))
    objects = set(await column(connection, OBJECTS))
    assert objects - set(lines) == set(), "give it a line in db/functions/grants.sql"
    assert set(lines) - objects == set(), "it is gone: delete its line in db/functions/grants.sql"


async def test_a_function_with_the_owners_rights_has_a_path_of_its_own_and_is_for_named_roles(
    connection: Connection,
) -> None:
    assert await column(connection, OPEN_TO_ALL) == []
    assert [name for name in await column(connection, LOOSE) if "search_log" not in name] == []


async def test_every_table_with_policies_has_those_of_the_roles(connection: Connection) -> None:
    assert await column(connection, UNGUARDED) == []


async def test_an_asterisk_always_names_columns(connection: Connection) -> None:
    nameless = """
        select r.what from headrace._rights() as r
         cross join lateral unnest(headrace._roles(),
                                   array[r.tenant, r.app, r.integrator, r.worker, r.server, r.metrics])
                as held (role, letters)
         where strpos(held.letters, '*') > 0 and headrace._shown_columns(r.what, held.role) is null"""
    assert await column(connection, nameless) == []


async def test_the_roles_are_the_same_in_python_and_ready(connection: Connection) -> None:
    assert list(ROLES) == await connection.fetchval("select headrace._roles()")
    assert all(role.ready for role in await list_roles(connection))
