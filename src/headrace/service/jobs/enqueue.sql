-- System jobs are there for the system's tenant ($2) alone.
-- name: payload_schemas
select key, payload_schema from headrace.definition where key = any($1) and (not system or $2)

-- name: enqueue
select headrace.enqueue_many(
  $1, $2::text[]::jsonb[], tenant => $3, queue => $4, priority => $5::int,
  scheduled_for => coalesce($6, clock_timestamp() + $7::interval), correlation_id => $8, max_attempts => $9::int,
  dedupe_keys => $10::text[], idempotency_keys => $11::text[], source => $12, source_ref => $13, created_by => $14)

-- name: made_now
select id from headrace.job where id = any($1) and created_at = now()
