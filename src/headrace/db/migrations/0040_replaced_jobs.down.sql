create or replace function headrace.retry(job_id uuid) returns boolean language plpgsql as $$
declare
  record headrace.job := headrace._job_or_error(retry.job_id);
  ended headrace.attempt;
  holder uuid;
begin
  -- The lock makes a second retry wait, and then find no final left. Only the final attempt is ever updated.
  select * into ended from headrace.attempt as a where a.job_id = record.id and a.final is not null for update;
  if ended.job_id is null then
    return false;
  end if;
  perform headrace._runnable((select key from headrace.definition where id = record.definition_id));
  update headrace.attempt as a set final = null where a.job_id = record.id and a.run = ended.run;
  loop
    insert into headrace.queue (job_id, tenant_id, lane_id, status, queued_at, priority, max_attempts, run, dedupe_key,
                                dedupe_waiting, overlap_id, gate)
    values (record.id, record.tenant_id, record.lane_id, 'queued', now(), record.priority, record.max_attempts, ended.run,
            record.dedupe_key, record.dedupe_waiting,
            (select t.id from headrace.trigger as t where t.id = record.source_ref and t.overlap <> 'allow'),
            headrace._gate(record.lane_id, record.tenant_id, record.payload))
    on conflict (tenant_id, dedupe_key) where dedupe_key is not null do nothing;
    exit when found;
    select q.job_id into holder from headrace.queue as q
     where q.tenant_id = record.tenant_id and q.dedupe_key = record.dedupe_key;
    -- If the holder ended between the two statements, the key is free and we try again.
    continue when holder is null;
    raise exception 'job "%" cannot be retried: job "%" holds its dedupe key "%"', record.id, holder, record.dedupe_key
      using errcode = 'HR409', detail = holder::text, hint = 'Wait for that job to end, or cancel it.';
  end loop;
  perform headrace._wake_workers();
  return true;
end $$;

drop function headrace._replace;

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
       progress.message as progress_message,
       case when job.source in ('scheduler', 'catchup', 'manual', 'backfill') then job.source_ref else job.trigger_id end as trigger_id,
       case when job.source = 'event' then job.source_ref end as event_id
  from headrace.job
  join headrace.tenant on tenant.id = job.tenant_id
  join headrace.definition on definition.id = job.definition_id
  join headrace.lane on lane.id = job.lane_id
  left join headrace.queue as live on live.job_id = job.id
  left join lateral (select final, queued_at, finished_at, spent, result, run from headrace.attempt where attempt.job_id = job.id and attempt.final is not null
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

alter table headrace.attempt drop column replaced_by;
