-- Everything is told from rollups, samples and small tables: nothing here reads a job.

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

-- Queues in which jobs wait, as last sampled, and who could take them.
-- name: waiting
select lane.queue, sum(jobs)::bigint as jobs, extract(epoch from now() - min(oldest_queued_at))::float8 as oldest,
       exists (select from headrace.queue_pause as p
                where p.queue = lane.queue and (resume_at is null or resume_at > now())) as paused,
       (select count(*)::int from headrace.worker as w
         where state = 'live' and lease_expires_at > now() and (lane.queue = any(w.queues) or '*' = any(w.queues))) as workers,
       (select coalesce(sum(concurrency), 0)::int from headrace.worker as w
         where state = 'live' and lease_expires_at > now() and (lane.queue = any(w.queues) or '*' = any(w.queues))) as slots,
       (select coalesce(sum(running), 0)::int from headrace.worker as w
         where state = 'live' and lease_expires_at > now() and (lane.queue = any(w.queues) or '*' = any(w.queues))) as busy
  from headrace.queue_sample join headrace.lane on lane.id = queue_sample.lane_id
 where status = 'queued' and jobs > 0 and ($1::int is null or queue_sample.tenant_id = $1)
 group by lane.queue
 order by oldest desc nulls last

-- name: silent_workers
select name, extract(epoch from now() - heartbeat_at)::float8 as silent
  from headrace.worker
 where state = 'live' and heartbeat_at < now() - $1::interval and heartbeat_at > now() - interval '1 day'
 order by heartbeat_at limit 5

-- name: triggers
select count(*)::int as triggers, count(*) filter (where last_error is not null)::int as in_error,
       min(name) filter (where last_error is not null) as named,
       (array_agg(last_error order by name) filter (where last_error is not null))[1] as said,
       extract(epoch from now() - min(fire_at) filter (where enabled and fire_at < now()))::float8 as late
  from headrace.trigger where $1::int is null or tenant_id = $1

-- name: done
select coalesce(sum(succeeded + failed + canceled + dead_letter), 0)::bigint as ended,
       count(distinct definition_id)::int as definitions,
       exists (select from headrace.rollup_total where $1::int is null or tenant_id = $1) as ever
  from headrace.rollup
 where minute >= now() - interval '1 hour' and ($1::int is null or tenant_id = $1)

-- name: live
select count(*)::int as workers, coalesce(sum(concurrency), 0)::int as slots, coalesce(sum(running), 0)::int as busy
  from headrace.worker where state = 'live' and lease_expires_at > now()

-- Seconds of the oldest snapshot held in this database: it keeps what was deleted from being cleared away.
-- name: oldest_snapshot
select coalesce(extract(epoch from max(now() - xact_start)), 0)::float8
  from pg_stat_activity where datname = current_database() and backend_xmin is not null and pid <> pg_backend_pid()
