-- name: list_jobs
select j.id, j.tenant, j.definition, d.kind, j.queue, j.status, j.priority, j.source, j.source_ref, j.trigger_id, j.event_id, j.retry_of, j.replaced_by,
       j.correlation_id, j.dedupe_key, j.idempotency_key, j.scheduled_for, j.created_at,
       j.created_by, j.run_at, j.queued_at, j.started_at,
       j.finished_at, j.attempt_count, j.max_attempts, j.run, j.worker, left(j.last_error, 300) as last_error,
       j.cancel_requested, j.progress, j.progress_message
  from headrace.jobs as j join headrace.definition as d on d.key = j.definition
 where j.id = any($1) and j.status is not null

-- name: get_job
select j.id, j.tenant, j.definition, d.kind, j.queue, j.status, j.priority, j.source, j.source_ref, j.trigger_id, j.event_id, j.retry_of, j.replaced_by,
       j.correlation_id, j.dedupe_key, j.idempotency_key, j.scheduled_for, j.created_at,
       j.created_by, j.run_at, j.queued_at, j.started_at,
       j.finished_at, j.attempt_count, j.max_attempts, j.run, j.worker, j.last_error, j.cancel_requested, j.progress,
       j.progress_message, j.payload, j.result, d.payload_schema
  from headrace.jobs as j join headrace.definition as d on d.key = j.definition
 where j.id = $1 and j.status is not null
   and ($2::int is null or j.tenant = (select name from headrace.tenant where tenant.id = $2))

-- name: list_attempts
select a.run, a.outcome::text, a.final::text, w.name as worker, a.queued_at, a.started_at, a.finished_at, a.error,
       a.traceback, a.result, a.detail
  from headrace.attempt as a left join headrace.worker as w on w.id = a.worker_id
 where a.job_id = $1
 order by a.run

-- name: read_payload
select job.payload, definition.payload_schema
  from headrace.job join headrace.definition on definition.id = definition_id
 where job.id = $1
