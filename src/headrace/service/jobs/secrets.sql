-- The payload only where it may hold something secret, by the words of its schema ($2) or by its names ($3): of most jobs
-- nothing is sent. jsonb writes words as they are, without escapes.
-- name: read_payloads
select job.id, length(job.payload::text) as size, case when may_be then job.payload end as payload,
       case when may_be then definition.payload_schema end as payload_schema, definition.key as definition,
       tenant.name as tenant
  from headrace.job
  join headrace.definition on definition.id = job.definition_id
  join headrace.tenant on tenant.id = job.tenant_id
 cross join lateral (select definition.payload_schema::text ~ $2 or job.payload::text ~* $3) as secret (may_be)
 where job.id = any($1::uuid[])
