-- Views for people who read with SQL. New columns come last: a view is replaced in place, and keeps the rights given on it.

-- Made for single jobs and for newest first; lists by status start from queue or attempt. Policies hold for the caller.
create or replace view headrace.jobs with (security_invoker = true) as
select job.id,
       tenant.name as tenant,
       definition.key as definition,
       lane.queue,
       coalesce(live.status, ended.final)::text as status,
       job.priority,
       job.payload,
       job.source,
       job.correlation_id,
       job.dedupe_key,
       job.scheduled_for,
       coalesce(live.queued_at, ended.queued_at) as queued_at,
       coalesce(live.claimed_at, ran.started_at) as started_at,
       ended.finished_at,
       coalesce(live.spent + (live.status = 'running')::int, ended.spent) as attempt_count,
       job.max_attempts,
       worker.name as worker,
       troubled.error as last_error,
       ended.result,
       progress.fraction as progress,
       job.created_by,
       job.idempotency_key,
       job.source_ref,
       job.created_at,
       live.run_at,
       coalesce(live.run, ended.run) as run,
       coalesce(live.cancel_requested, false) as cancel_requested,
       progress.message as progress_message,
       case when job.source in ('scheduler', 'catchup', 'manual', 'backfill') then job.source_ref else job.trigger_id end as trigger_id,
       case when job.source = 'event' then job.source_ref end as event_id,
       ended.replaced_by,
       case when job.source = 'retry' then job.source_ref end as retry_of,
       definition.kind,
       coalesce(ended.final in ('failed', 'dead_letter'), false) as unsuccessful
  from headrace.job
  join headrace.tenant on tenant.id = job.tenant_id
  join headrace.definition on definition.id = job.definition_id
  join headrace.lane on lane.id = job.lane_id
  left join headrace.queue as live on live.job_id = job.id
  left join lateral (select final, queued_at, finished_at, spent, result, run, replaced_by from headrace.attempt where attempt.job_id = job.id and attempt.final is not null
                      order by attempt.run desc limit 1) as ended on live.job_id is null
  left join lateral (select attempt.started_at, attempt.worker_id from headrace.attempt
                      where attempt.job_id = job.id and attempt.started_at is not null
                      order by attempt.run desc limit 1) as ran on true
  left join lateral (select attempt.error from headrace.attempt
                      where attempt.job_id = job.id and attempt.error is not null and attempt.outcome not in ('snoozed', 'released')
                      order by attempt.run desc limit 1) as troubled on true
  left join headrace.worker on worker.id = coalesce(live.worker_id, ran.worker_id)
  left join headrace.progress on progress.job_id = job.id;

create or replace view headrace.queue_depth with (security_invoker = true) as
select lane.queue, definition.key as definition, waiting.status::text as status, count(*) as jobs, min(waiting.queued_at) as oldest
  from headrace.queue as waiting
  join headrace.lane on lane.id = waiting.lane_id
  join headrace.definition on definition.id = lane.definition_id
 group by lane.queue, definition.key, waiting.status;

-- One row for each job that ended, under the name of what triggered it, or else of its definition.
create or replace view headrace.job_history with (security_invoker = true) as
select job.id as job,
       coalesce(live.name, gone.name, definition.key) as name,
       tenant.name as tenant,
       ended.started_at,
       ended.finished_at as completed_at,
       round(extract(epoch from ended.finished_at - ended.started_at) * 1000)::bigint as duration_ms,
       ended.final = 'succeeded' as success,
       coalesce(ended.error, ended.result ->> 'message') as message,
       case when jsonb_typeof(ended.result) = 'object' and ended.result ? 'message' then ended.result -> 'details'
            else ended.result end as details,
       job.scheduled_for,
       job.source as triggered_by
  from headrace.attempt as ended
  join headrace.job on job.id = ended.job_id
  join headrace.tenant on tenant.id = job.tenant_id
  join headrace.definition on definition.id = job.definition_id
  left join headrace.delivery on delivery.event_id = job.source_ref and delivery.job_id = job.id and job.source = 'event'
  left join headrace.trigger as live on live.id = coalesce(delivery.trigger_id, job.source_ref)
  left join headrace.deleted_trigger as gone on gone.id = coalesce(delivery.trigger_id, job.source_ref)
 where ended.final is not null;

-- Rate and durations are those of the last 100 jobs, so that reading costs the same however long history is. "obstacle" is why
-- a schedule that is on comes to nothing.
create or replace view headrace.schedule_status with (security_invoker = true) as
select t.name,
       tenant.name as tenant,
       definition.key as definition,
       t.enabled,
       case when isfinite(t.next_run_at) and t.enabled then t.next_run_at end as next_run_at,
       t.last_run_at,
       recent.last_run_success,
       t.runs as total_runs,
       recent.success_rate_percent,
       recent.avg_duration_ms,
       recent.max_duration_ms,
       t.id,
       t.trigger_type,
       t.cron,
       t.every_seconds,
       t.timezone,
       t.pause_note,
       t.last_error,
       case when not t.enabled then null
            when definition.deleted_from_code_at is not null then 'deleted_from_code'
            when not definition.enabled then 'definition_disabled'
            when not headrace._may_run(definition.id, tenant.id) then 'tenant_not_allowed' end as obstacle
  from headrace.trigger as t
  join headrace.tenant on tenant.id = t.tenant_id
  join headrace.definition on definition.id = t.definition_id
  left join lateral (
    select (array_agg(final = 'succeeded' order by finished_at desc))[1] as last_run_success,
           round(100.0 * count(*) filter (where final = 'succeeded') / count(*), 1) as success_rate_percent,
           round(avg(duration_ms))::bigint as avg_duration_ms,
           max(duration_ms) as max_duration_ms
      from (select job_id from headrace.fire
             where fire.trigger_id = t.id and outcome = 'fired' order by due_at desc limit 100) as fired
      join lateral (select final, finished_at,
                           round(extract(epoch from finished_at - started_at) * 1000)::bigint as duration_ms
                      from headrace.attempt
                     where attempt.job_id = fired.job_id and final is not null
                     order by run desc limit 1) as ended on true
    having count(*) > 0) as recent on true
 where t.trigger_type <> 'event';
