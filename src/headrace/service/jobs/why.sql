-- A worker is silent as in "stale" of ../workers/service.sql, or when it is called lost and the job is not rescued yet. A tenant may not
-- read "lease", which is what lies between its last heartbeat and its end. Lines of a command are stdout and stderr:
-- those of the stream "log" (0) are Headrace's own.
-- name: facts
with job as (
  select job.id, lane.queue, definition.key, tenant.name as tenant, coalesce(tenant.name <> all(definition.tenants), false) as barred,
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
         definition.kind, definition.enabled, definition.deleted_from_code_at is not null as gone,
         q.status as live_status, q.run_at, q.worker_id, q.run, q.claimed_at, coalesce(q.spent, 0) as spent, coalesce(q.suspect, false) as suspect,
         coalesce(q.cancel_requested, false) as cancel_requested, q.unreadable_since, definition.schema_version
    from headrace.job
    join headrace.lane on lane.id = job.lane_id
    join headrace.definition on definition.id = job.definition_id
    join headrace.tenant on tenant.id = job.tenant_id
    left join headrace.queue as q on q.job_id = job.id
   where job.id = $1 and ($2::int is null or job.tenant_id = $2)),
serving as (
  select w.concurrency - w.running as free, job.key = any(w.definitions) or (job.kind = 'sql' and '*sql' = any(w.definitions)) as knows,
         w.schemas ->> job.key as version
    from job join headrace.worker as w on job.queue = any(w.queues) or '*' = any(w.queues)
   where w.state = 'live' and w.lease_expires_at > now())
select coalesce(job.live_status::text, (select final::text from headrace.attempt
                                         where attempt.job_id = job.id and final is not null limit 1)) as status,
       job.queue, job.key as definition, job.tenant, job.barred, job.run_at, now() as now, job.enabled, job.gone, job.paused,
       job.pauses, job.spent, job.suspect,
       job.cancel_requested, holder.name as worker, job.claimed_at, holder.silent_for, holder.lease_left,
       case when job.kind = 'command' and job.live_status = 'running' then (
         select case when level >= 30 then message end from headrace.log
          where log.job_id = job.id and log.run = job.run and stream = 0 order by seq desc limit 1) end as warned,
       (select count(*)::int from serving) as workers,
       (select count(*)::int from serving where knows) as knowing_workers,
       (select coalesce(sum(free), 0)::int from serving where knows) as free_slots,
       job.unreadable_since, job.schema_version as version, array(
         select distinct version from serving where knows and version is not null order by version) as versions,
       headrace.jobs_ahead(job.id, $3) as ahead, gate.*
  from job left join headrace.gate_facts($1) as gate on true
  left join lateral (
    select name,
           case when state <> 'live' or heartbeat_at < now() - (lease_expires_at - heartbeat_at) * 2 / 3
                then extract(epoch from now() - heartbeat_at)::float8 end as silent_for,
           case when state = 'live' then extract(epoch from lease_expires_at - now())::float8 end as lease_left
      from headrace.worker as w where w.id = job.worker_id) as holder on true
