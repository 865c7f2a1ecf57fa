-- System jobs are there for the system's tenant ($2) alone. A tenant ($3) does not learn of what it may not run.
-- name: payload_schemas
select key, payload_schema from headrace.definition
 where key = any($1) and (not system or $2) and coalesce($3 = any(tenants), true)

-- name: made_now
select id from headrace.job where id = any($1) and created_at = now()
