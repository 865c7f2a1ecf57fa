-- name: change_definition
update headrace.definition as d
   set enabled = new.enabled, queue = new.queue, priority = new.priority, max_attempts = new.max_attempts,
       timeout_seconds = new.timeout_seconds, retry_base_seconds = new.retry_base_seconds,
       retry_cap_seconds = new.retry_cap_seconds, retry_jitter_seconds = new.retry_jitter_seconds
  from headrace.definition as old, jsonb_populate_record(old, $2) as new
 where d.key = $1 and old.key = $1
returning d.id

-- Workers serve lanes, and the new queue may have none of this definition.
-- name: ensure_lane
select headrace._lane(queue, id) from headrace.definition where key = $1

-- name: define_sql_job
select headrace.define_sql_job($1, $2, $3, $4, $5)
