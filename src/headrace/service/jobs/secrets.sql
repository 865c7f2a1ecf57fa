-- Only those that may hold something secret, by the words of their schema ($2) or by their names ($3): of most jobs nothing is
-- read. jsonb writes words as they are, without escapes.
-- name: read_payloads
select job.id, job.payload, definition.payload_schema, definition.key as definition, tenant.name as tenant
  from headrace.job
  join headrace.definition on definition.id = job.definition_id
  join headrace.tenant on tenant.id = job.tenant_id
 where job.id = any($1::uuid[]) and (definition.payload_schema::text ~ $2 or job.payload::text ~* $3)
