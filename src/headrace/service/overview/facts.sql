-- Everything is told from rollups, samples, small tables and small indexes: nothing here reads a job.

-- What each definition came to lately, where an attempt failed. "bad" are attempts that failed, whatever came of the job.
-- name: failing
select definition.key, sum(runs) filter (where lately)::int as runs,
       coalesce(sum(failed + dead_letter + retried) filter (where lately), 0)::int as bad,
       coalesce(sum(runs) filter (where not lately), 0)::int as runs_before,
       coalesce(sum(failed + dead_letter + retried) filter (where not lately), 0)::int as bad_before,
       coalesce(sum(timed_out) filter (where lately), 0)::int as timed_out,
       coalesce(sum(dead_letter), 0)::int as dead,
       min(minute) filter (where lately and failed + dead_letter + retried > 0) as since
  from (select *, minute >= now() - $2::interval as lately from headrace.rollup
         where minute >= now() - $3::interval and ($1::int is null or tenant_id = $1)) as rollup
  join headrace.definition on definition.id = rollup.definition_id
 group by definition.key
having sum(failed + dead_letter + retried) filter (where lately) > 0

-- Queues in which jobs wait, as last sampled, and who could take them. Apart from these the definitions that no live worker
-- knows though the queue has workers, or that no code declares any more: their jobs make no queue late.
-- name: waiting
with live as materialized (
  select queues, definitions, concurrency, running from headrace.worker where state = 'live' and lease_expires_at > now()
), lanes as (
  select lane.queue, jobs, oldest_queued_at, definition.kind, definition.deleted_from_code_at is not null as gone,
         case when definition.enabled
               and (definition.deleted_from_code_at is not null
                    or exists (select from live where lane.queue = any(queues) or '*' = any(queues)))
               and not exists (select from live
                                where (lane.queue = any(queues) or '*' = any(queues))
                                  and (definition.key = any(definitions)
                                       or (definition.kind = 'sql' and '*sql' = any(definitions))))
              then definition.key end as unknown
    from headrace.queue_sample
    join headrace.lane on lane.id = queue_sample.lane_id
    join headrace.definition on definition.id = lane.definition_id
   where status = 'queued' and jobs > 0 and ($1::int is null or queue_sample.tenant_id = $1)
)
select lanes.queue, sum(jobs)::bigint as jobs, extract(epoch from now() - min(oldest_queued_at))::float8 as oldest,
       exists (select from headrace.queue_pause as p
                where p.queue = lanes.queue and (resume_at is null or resume_at > now())) as paused,
       (select count(*)::int from live where lanes.queue = any(queues) or '*' = any(queues)) as workers,
       (select coalesce(sum(concurrency), 0)::int from live where lanes.queue = any(queues) or '*' = any(queues)) as slots,
       (select coalesce(sum(running), 0)::int from live where lanes.queue = any(queues) or '*' = any(queues)) as busy,
       unknown, bool_or(gone) and unknown is not null as gone, bool_or(kind = 'sql') and unknown is not null as sql
  from lanes
 group by lanes.queue, unknown
 order by oldest desc nulls last

-- Jobs that workers gave back because their payload does not fit: few or none, and an index has them. Whether live workers have
-- the version that was declared last.
-- name: unreadable
select d.key, count(*)::int as jobs, extract(epoch from now() - min(unreadable_since))::float8 as oldest, d.schema_version,
       array(select distinct w.schemas ->> d.key from headrace.worker as w
              where w.state = 'live' and w.lease_expires_at > now() and w.schemas ? d.key order by 1) as versions
  from headrace.queue as q
  join headrace.lane on lane.id = q.lane_id
  join headrace.definition as d on d.id = lane.definition_id
 where unreadable_since is not null and ($1::int is null or q.tenant_id = $1)
 group by d.id
 order by oldest desc

-- To a tenant only those that serve its queues are there, here and below.
-- name: silent_workers
select name, extract(epoch from now() - heartbeat_at)::float8 as silent
  from headrace.worker
 where state = 'live' and heartbeat_at < now() - $1::interval and heartbeat_at > now() - interval '1 day'
   and ($2::int is null or '*' = any(queues) or queues && (select headrace._queues_of($2)))
 order by heartbeat_at limit 5

-- name: triggers
select count(*)::int as triggers, count(*) filter (where last_error is not null)::int as in_error,
       min(name) filter (where last_error is not null) as named,
       (array_agg(last_error order by name) filter (where last_error is not null))[1] as said,
       extract(epoch from now() - min(fire_at) filter (where enabled and fire_at < now()))::float8 as late
  from headrace.trigger where $1::int is null or tenant_id = $1

-- Triggers that are on and can enqueue nothing, for no code declares what they are for.
-- name: gone
select definition.key, definition.kind = 'sql' as sql, count(*)::int as triggers, min(t.name) as named
  from headrace.trigger as t join headrace.definition on definition.id = t.definition_id
 where t.enabled and definition.deleted_from_code_at is not null and t.next_run_at is distinct from 'infinity'
   and ($1::int is null or t.tenant_id = $1)
 group by definition.key, definition.kind
 order by triggers desc, definition.key limit 5

-- name: done
select coalesce(sum(succeeded + failed + canceled + dead_letter), 0)::bigint as ended,
       count(distinct definition_id)::int as definitions,
       exists (select from headrace.rollup_total where $1::int is null or tenant_id = $1) as ever
  from headrace.rollup
 where minute >= now() - interval '1 hour' and ($1::int is null or tenant_id = $1)

-- name: live
select count(*)::int as workers, coalesce(sum(concurrency), 0)::int as slots, coalesce(sum(running), 0)::int as busy
  from headrace.worker
 where state = 'live' and lease_expires_at > now() and ($1::int is null or '*' = any(queues) or queues && (select headrace._queues_of($1)))

-- Seconds of the oldest snapshot held in this database: it keeps what was deleted from being cleared away.
-- name: oldest_snapshot
select coalesce(extract(epoch from max(now() - xact_start)), 0)::float8
  from pg_stat_activity where datname = current_database() and backend_xmin is not null and pid <> pg_backend_pid()
