-- name: lock_by_name
select id from headrace.trigger where tenant_id = headrace._tenant_id($1) and name = $2 for no key update

-- name: run_now
select outcome = 'fired', job_id, reason from headrace._run_now($1, $2, $3, $4)

-- name: live_job
select headrace._live_job_of($1)

-- next_run_at and fire_at together: that is how the table knows that the rule has not changed.
-- name: set_next
update headrace.trigger
   set next_run_at = coalesce($2::timestamptz, 'infinity'), fire_at = coalesce($3::timestamptz, 'infinity'),
       uncovered_from = null, uncovered_why = null
 where id = $1

-- name: count_runs
update headrace.trigger set runs = runs + $2, last_run_at = greatest(last_run_at, now()) where id = $1 and $2 > 0
