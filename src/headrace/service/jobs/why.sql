-- name: facts
with job as (
  select job.id, lane.queue, definition.key,
         lane.paused, array(
           select row_to_json(pause)::text from (
             select 'queue' as what, queue as name, note, paused_by, resume_at from headrace.queue_pause as p where p.queue = lane.queue
             union all
             select 'definition', definition.key, note, paused_by, resume_at
               from headrace.definition_pause as p where p.definition_id = definition.id
             union all
             select 'tenant', tenant.name, note, paused_by, resume_at
               from headrace.tenant_pause as p join headrace.tenant on tenant.id = p.tenant_id where p.tenant_id = job.tenant_id) as pause
            where resume_at is null or resume_at > now()) as pauses,
         definition.kind, definition.enabled,
         q.status as live_status, q.run_at, q.worker_id, coalesce(q.spent, 0) as spent, coalesce(q.suspect, false) as suspect,
         coalesce(q.cancel_requested, false) as cancel_requested
    from headrace.job
    join headrace.lane on lane.id = job.lane_id
    join headrace.definition on definition.id = job.definition_id
    left join headrace.queue as q on q.job_id = job.id
   where job.id = $1 and ($2::int is null or job.tenant_id = $2)),
serving as (
  select w.concurrency - w.running as free, job.key = any(w.definitions) or (job.kind = 'sql' and '*sql' = any(w.definitions)) as knows
    from job join headrace.worker as w on job.queue = any(w.queues) or '*' = any(w.queues)
   where w.state = 'live' and w.lease_expires_at > now())
select coalesce(job.live_status::text, (select final::text from headrace.attempt
                                         where attempt.job_id = job.id and final is not null limit 1)) as status,
       job.queue, job.key as definition, job.run_at, now() as now, job.enabled, job.paused, job.pauses, job.spent, job.suspect,
       job.cancel_requested, (select name from headrace.worker as w where w.id = job.worker_id) as worker,
       (select count(*)::int from serving) as workers,
       (select count(*)::int from serving where knows) as knowing_workers,
       (select coalesce(sum(free), 0)::int from serving where knows) as free_slots,
       headrace.jobs_ahead(job.id, $3) as ahead, gate.*
  from job left join headrace.gate_facts($1) as gate on true
