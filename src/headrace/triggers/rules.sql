-- name: read_rules
select id, version, name, definition_id, queue, priority, max_attempts, trigger_type, cron, every_seconds, timezone,
       starts_at, ends_at, max_fires, init_version, payload, condition, catch_up, catch_up_cap, misfire_grace_seconds, overlap, jitter_seconds, dedupe_window_seconds,
       pause_on_failures
  from headrace.trigger
 where id = any($1)

-- xmin changes with every update of a row: what was compiled from it is then read again.
-- name: read_definitions
select id, xmin::text::bigint as version, queue, priority, max_attempts,
       case when deleted_from_code_at is not null then 'deleted_from_code' when not enabled then 'definition_disabled'
            when cardinality(secret_fields) > 0 then 'secret_fields' end as obstacle
  from headrace.definition
 where id = any($1)

-- name: read_schemas
select id, xmin::text::bigint as version, payload_schema from headrace.definition where id = any($1)
