-- Whether this login can take the role of tenants, and the role may use the schema.
-- name: look
select headrace._may_take(current_user, 'headrace_tenant')
         and coalesce((select has_schema_privilege(oid, 'headrace', 'usage') from pg_catalog.pg_roles where rolname = 'headrace_tenant'), false),
       current_user::text
