-- name: lock_uncomputed
select id
  from headrace.trigger
 where enabled and next_run_at is null and trigger_type <> 'event'
 limit $1
   for no key update skip locked

-- name: set_due_times
update headrace.trigger as t
   set next_run_at = coalesce(line.next_run_at, 'infinity'), fire_at = coalesce(line.fire_at, 'infinity'),
       uncovered_from = null, uncovered_why = null
  from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) as line (id, next_run_at, fire_at)
 where t.id = line.id and t.id = any($1)
