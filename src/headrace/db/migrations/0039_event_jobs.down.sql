drop function headrace.emit_once, headrace._emit_once, headrace._grant_event_keys_to_tenants;
drop table headrace.event_key, headrace.event_fires;

drop view headrace.jobs;
create view headrace.jobs with (security_invoker = true) as
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
       progress.message as progress_message
  from headrace.job
  join headrace.tenant on tenant.id = job.tenant_id
  join headrace.definition on definition.id = job.definition_id
  join headrace.lane on lane.id = job.lane_id
  left join headrace.queue as live on live.job_id = job.id
  left join lateral (select attempt.job_id, attempt.run, attempt.tenant_id, attempt.lane_id, attempt.worker_id, attempt.outcome, attempt.final,
                             attempt.spent, attempt.queued_at, attempt.started_at, attempt.finished_at, attempt.error, attempt.traceback,
                             attempt.result
                        from headrace.attempt where attempt.job_id = job.id and attempt.final is not null
                      order by attempt.run desc limit 1) as ended on live.job_id is null
  left join lateral (select attempt.started_at, attempt.worker_id from headrace.attempt
                      where attempt.job_id = job.id and attempt.started_at is not null
                      order by attempt.run desc limit 1) as ran on true
  left join lateral (select attempt.error from headrace.attempt
                      where attempt.job_id = job.id and attempt.error is not null and attempt.outcome not in ('snoozed', 'released')
                      order by attempt.run desc limit 1) as troubled on true
  left join headrace.worker on worker.id = coalesce(live.worker_id, ran.worker_id)
  left join headrace.progress on progress.job_id = job.id;
do $$
begin
  grant select on headrace.jobs to headrace_tenant;
exception when undefined_object or insufficient_privilege then
  raise notice 'the role headrace_tenant could not be given its rights';
end $$;

drop index headrace.job_trigger;
alter table headrace.job drop column trigger_id;
