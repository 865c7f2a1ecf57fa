-- name: get_job
select id, tenant, definition, queue, status, priority, payload, source, correlation_id, dedupe_key,
       scheduled_for, queued_at, started_at, finished_at, attempt_count, max_attempts, worker, last_error, result, progress, created_by
  from headrace.jobs
 where id = $1

-- name: job_status
select coalesce((select status from headrace.queue where job_id = $1),
                (select final from headrace.attempt where job_id = $1 and final is not null))::text

-- name: register_waiter
insert into headrace.waiter (job_id, waiter_id, expires_at) values ($1, $2, now() + $3::interval)

-- name: forget_waiter
delete from headrace.waiter where job_id = $1 and waiter_id = $2
