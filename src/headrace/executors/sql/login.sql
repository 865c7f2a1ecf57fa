-- name: list_settings
select pg_catalog.unnest(s.setconfig)
  from pg_catalog.pg_db_role_setting as s
 where s.setrole = (select r.oid from pg_catalog.pg_roles as r where r.rolname = session_user)
   and s.setdatabase in (0, (select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database()))
 order by 1

-- A role may reset what it may set. What only an administrator can set of it stays.
-- name: reset_role
do $$
begin
  alter role session_user reset all;
  execute pg_catalog.format('alter role session_user in database %I reset all', pg_catalog.current_database());
end $$
