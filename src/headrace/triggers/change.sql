-- name: schema_of
select payload_schema, secret_fields from headrace._runnable($1)

-- name: create_trigger
insert into headrace.trigger (
  tenant_id, name, definition_id, enabled, created_by, trigger_type, cron, every_seconds, timezone, starts_at, ends_at,
  max_fires, init_version, event, payload, condition, queue, priority, max_attempts, catch_up, catch_up_cap,
  misfire_grace_seconds, overlap, jitter_seconds, dedupe_window_seconds, pause_on_failures)
select headrace._tenant_id($1), $2, (headrace._runnable($3)).id, $5, $6, new.trigger_type, new.cron, new.every_seconds,
       new.timezone, new.starts_at, new.ends_at, new.max_fires, new.init_version, new.event, new.payload, new.condition,
       new.queue, new.priority, new.max_attempts, new.catch_up, new.catch_up_cap, new.misfire_grace_seconds, new.overlap,
       new.jitter_seconds, new.dedupe_window_seconds, new.pause_on_failures
  from jsonb_populate_record(null::headrace.trigger, $4) as new
returning id

-- name: lock_trigger
select id from headrace.trigger where tenant_id = headrace._tenant_id($1) and name = $2 for update

-- name: update_trigger
update headrace.trigger as t
   set trigger_type = new.trigger_type, cron = new.cron, every_seconds = new.every_seconds,
       timezone = new.timezone, starts_at = new.starts_at, ends_at = new.ends_at, max_fires = new.max_fires,
       init_version = new.init_version, event = new.event, payload = new.payload, condition = new.condition,
       queue = new.queue, priority = new.priority, max_attempts = new.max_attempts, catch_up = new.catch_up,
       catch_up_cap = new.catch_up_cap, misfire_grace_seconds = new.misfire_grace_seconds, overlap = new.overlap,
       jitter_seconds = new.jitter_seconds, dedupe_window_seconds = new.dedupe_window_seconds,
       pause_on_failures = new.pause_on_failures
  from headrace.trigger as old, jsonb_populate_record(old, $2) as new
 where t.id = $1 and old.id = $1

-- name: reset_trigger
update headrace.trigger as t
   set trigger_type = new.trigger_type, cron = new.cron, every_seconds = new.every_seconds,
       timezone = new.timezone, init_version = new.init_version, event = new.event, payload = new.payload,
       condition = new.condition, catch_up = new.catch_up, misfire_grace_seconds = new.misfire_grace_seconds,
       overlap = new.overlap, jitter_seconds = new.jitter_seconds, dedupe_window_seconds = new.dedupe_window_seconds,
       pause_on_failures = new.pause_on_failures
  from headrace.trigger as old, jsonb_populate_record(old, old.declared) as new
 where t.id = $1 and old.id = $1 and old.declared is not null
returning t.id

-- Whoever turns it off has the word, also over an error that did so before: no edit turns it on then.
-- name: set_enabled
update headrace.trigger
   set enabled = $3, stopped_at = null, pause_note = case when $3 then null else coalesce($4, pause_note) end
 where tenant_id = headrace._tenant_id($1) and name = $2
returning id

-- name: delete_trigger
select headrace.unschedule($1, $2)
