-- name: change_definition
update headrace.definition as d
   set enabled = new.enabled, queue = new.queue, priority = new.priority, max_attempts = new.max_attempts,
       timeout_seconds = new.timeout_seconds, retry_base_seconds = new.retry_base_seconds,
       retry_cap_seconds = new.retry_cap_seconds, retry_jitter_seconds = new.retry_jitter_seconds,
       max_concurrency = new.max_concurrency, concurrency_key = new.concurrency_key,
       max_concurrency_per_key = new.max_concurrency_per_key, rate_limit = new.rate_limit,
       rate_period_seconds = new.rate_period_seconds, rate_burst = new.rate_burst, rate_per_key = new.rate_per_key,
       retention_days = new.retention_days, retention_count = new.retention_count
  from headrace.definition as old, jsonb_populate_record(old, $2) as new
 where d.key = $1 and old.key = $1
returning d.id

-- Workers serve lanes, and the new queue may have none of this definition.
-- name: ensure_lane
select headrace._lane(queue, id) from headrace.definition where key = $1

-- name: define_sql_job
select headrace.define_sql_job($1, $2, $3, $4, $5)

-- name: pause_definition
insert into headrace.definition_pause (definition_id, note, paused_by, resume_at)
select id, $2, $3, $4 from headrace.definition where key = $1
on conflict (definition_id) do update
   set note = excluded.note, paused_by = excluded.paused_by, paused_at = excluded.paused_at, resume_at = excluded.resume_at
returning definition_id

-- name: resume_definition
delete from headrace.definition_pause as p using headrace.definition as d
 where d.key = $1 and p.definition_id = d.id
returning p.resume_at is null or p.resume_at > now()
