-- Each role of functions/grants.sql, whether it is there and has its rights, and which logins hold it.
-- name: list_roles
select wanted.name, r.oid is not null as exists,
       coalesce(has_schema_privilege(r.oid, to_regnamespace('headrace'), 'usage'), false) as ready,
       array(select m.rolname::text from pg_catalog.pg_roles as m
              where m.rolcanlogin and not m.rolsuper and m.oid <> r.oid and pg_has_role(m.oid, r.oid, 'usage') order by 1) as logins
  from unnest($1::text[]) with ordinality as wanted (name, place)
  left join pg_catalog.pg_roles as r on r.rolname = wanted.name
 order by wanted.place

-- Who is to own the schema, or does; and whether the API may switch to the tenants' role.
-- name: look_at_owner
select coalesce((select pg_get_userbyid(nspowner) from pg_catalog.pg_namespace where nspname = 'headrace'), current_user)::text as owner,
       current_database()::text as database

-- name: may_take
select exists (select from pg_catalog.pg_roles as t, pg_catalog.pg_roles as r
                where t.rolname = $1 and r.rolname = 'headrace_tenant'
                  and pg_has_role(t.oid, r.oid, case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end))
