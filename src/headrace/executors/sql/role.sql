-- What the login is, or may become by SET ROLE, which a function is free to say.
-- name: look_at_role
select session_user::text as role,
       bool_or(r.rolsuper) as superuser,
       bool_or(r.rolbypassrls) as bypasses,
       coalesce(bool_or(r.oid = n.nspowner), false) as owner,
       bool_or(r.rolname in ('headrace_app', 'headrace_worker', 'headrace_server', 'headrace_tenant')) as ours,
       bool_or(r.rolcreaterole or r.rolname in ('pg_read_all_data', 'pg_write_all_data', 'pg_execute_server_program',
                                                'pg_read_server_files', 'pg_write_server_files')) as reaches_far
  from pg_catalog.pg_roles as r
  left join pg_catalog.pg_namespace as n on n.nspname = 'headrace'
 where pg_catalog.pg_has_role(session_user, r.oid, 'member')
