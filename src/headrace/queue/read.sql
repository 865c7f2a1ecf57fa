-- Of every job that is shown; an error is shortened in lists.
-- part: job
       job.id, job.tenant, job.definition, job.kind, job.queue, job.status, job.priority, job.source, job.source_ref,
       job.trigger_id, job.event_id, job.retry_of, job.replaced_by, job.correlation_id, job.dedupe_key,
       job.idempotency_key, job.scheduled_for, job.created_at, job.created_by, job.run_at, job.queued_at,
       job.started_at, job.finished_at, job.attempt_count, job.max_attempts, job.run, job.worker,
       job.cancel_requested, job.progress, job.progress_message

-- name: list_jobs
select
-- include: job
       , left(job.last_error, 300) as last_error
  from headrace.jobs as job
 where job.id = any($1) and job.status is not null

-- name: get_job
select
-- include: job
       , job.last_error, job.payload, job.result, definition.payload_schema
  from headrace.jobs as job join headrace.definition on definition.key = job.definition
 where job.id = $1 and job.status is not null
   and ($2::int is null or job.tenant = (select name from headrace.tenant where tenant.id = $2))

-- name: job_status
select coalesce((select status from headrace.queue where job_id = $1),
                (select final from headrace.attempt where job_id = $1 and final is not null))::text

-- name: register_waiter
insert into headrace.waiter (job_id, waiter_id, expires_at) values ($1, $2, now() + $3::interval)

-- name: forget_waiter
delete from headrace.waiter where job_id = $1 and waiter_id = $2
