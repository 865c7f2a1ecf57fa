-- name: tenant_role
select exists (select from pg_roles where rolname = 'headrace_tenant' and pg_has_role(current_user, oid, 'member'))
         and has_schema_privilege((select oid from pg_roles where rolname = 'headrace_tenant'), 'headrace', 'usage'),
       current_user::text

-- name: sql_jobs
select count(*)::int from headrace.definition where kind = 'sql' and enabled and deleted_from_code_at is null

-- name: needing_a_key
select key from headrace.definition
 where cardinality(secret_fields) > 0 and enabled and deleted_from_code_at is null
 order by key
