-- One statement for a batch of runs that ended. What I still hold is locked in job_id order, so that batches cannot
-- deadlock (cancel takes one row, rescue skips what is locked); the input joins on (job_id, run), so that a late finish
-- of an earlier claim finds nothing.
-- A requested cancel beats a retry, but not a success. What comes back is what was NOT accepted: as a rule nothing.
-- Arrays may be empty from $4 on, which unnest fills with nulls: a run of which nothing is said succeeded. Most batches
-- say nothing, and encoding seven arrays of nulls cost the worker a tenth of its time.
-- What a worker could not read ('unreadable') goes back unspent, as released, for as long again as it has been so, up to a minute;
-- after $12 seconds it is a dead letter, unless a live worker has a version of the definition that has not tried this job yet.
-- The batch has one moment, after its locks, so that it is counted in the minute that its attempts are in.

-- name: finish_attempts
with ended as (
  select job_id, run, coalesce(outcome, 'succeeded') as outcome, case when outcome is null then 'succeeded' else final end as final,
         coalesce(spends, true) as spends, delay, error, traceback, result, detail
    from unnest($2::uuid[], $3::int[], $4::text[], $5::text[], $6::bool[], $7::float8[], $8::text[], $9::text[], $10::text[],
                $11::text[])
      as e (job_id, run, outcome, final, spends, delay, error, traceback, result, detail)
), held as materialized (
  select job_id, run, tenant_id, lane_id, gate, spent, queued_at, claimed_at, cancel_requested, unreadable_since
    from headrace.queue
   where job_id = any($2) and worker_id = $1 and status = 'running'
   order by job_id
     for update
), moment as materialized (
  select clock_timestamp() as finished_at
), accepted as materialized (
  select job_id, run, tenant_id, lane_id, gate, queued_at, claimed_at,
         spent + spends::int as spent,
         (case when final is null and cancel_requested then 'canceled'
               when given_up then 'failed'
               when outcome = 'unreadable' then 'released' else outcome end)::headrace.attempt_outcome as outcome,
         (case when final is null and cancel_requested then 'canceled'
               when given_up then 'dead_letter' else final end)::headrace.job_status as final,
         case when outcome = 'unreadable' then greatest(1, least(60, unread_for)) else delay end as delay,
         case when given_up then (
                select format('no worker could read it for %s s: the database has version %s of %L. The last worker said: %s',
                              round(unread_for), coalesce(d.schema_version, 'unknown'), d.key, error)
                  from headrace.lane join headrace.definition as d on d.id = lane.definition_id where lane.id = lane_id)
              else error end as error,
         case when outcome = 'unreadable' then coalesce(unreadable_since, (select finished_at from moment))
              when outcome = 'released' then unreadable_since end as unreadable_since,
         traceback, result, detail, (select finished_at from moment) as finished_at,
         date_part('epoch', claimed_at - queued_at) as latency,
         date_part('epoch', (select finished_at from moment) - claimed_at) as duration
    from held join ended using (job_id, run)
   cross join lateral (
     select coalesce(date_part('epoch', (select finished_at from moment) - unreadable_since), 0) as unread_for) as unread
   cross join lateral (
     select case when outcome = 'unreadable' and unread_for >= $12 then not exists (
              select from headrace.lane
                join headrace.definition as d on d.id = lane.definition_id
                join headrace.worker as self on self.id = $1
                join headrace.worker as other on other.state = 'live' and other.lease_expires_at > now() and not other.draining
               where lane.id = held.lane_id
                 and d.key = any(other.definitions) and (lane.queue = any(other.queues) or '*' = any(other.queues))
                 and other.schemas ->> d.key is distinct from self.schemas ->> d.key
                 and not exists (
                   select from headrace.attempt as past join headrace.worker as tried on tried.id = past.worker_id
                    where past.job_id = held.job_id and tried.schemas ->> d.key is not distinct from other.schemas ->> d.key))
            else false end as given_up) as verdict
), gone as (
  delete from headrace.queue where job_id = any(array(select job_id from accepted where final is not null))
), back as (
  update headrace.queue as q
     set status = (case when delay > 0 then 'scheduled' else 'queued' end)::headrace.job_status,
         run_at = case when delay > 0 then clock_timestamp() + make_interval(secs => delay) end,
         queued_at = case when delay > 0 then null else now() end,
         seq = nextval('headrace.queue_seq'), spent = accepted.spent, suspect = suspect and accepted.outcome = 'released',
         worker_id = null, claimed_at = null, unreadable_since = accepted.unreadable_since
    from accepted
   where q.job_id = accepted.job_id and final is null
), written as (
  insert into headrace.attempt (job_id, run, tenant_id, lane_id, worker_id, outcome, final, spent, queued_at, started_at,
                                finished_at, error, traceback, result, detail)
  select job_id, run, tenant_id, lane_id, $1, outcome, final, spent, queued_at, claimed_at, finished_at, error, traceback,
         result::jsonb, detail::jsonb
    from accepted
), counted as (
  insert into headrace.rollup_delta (at, tenant_id, lane_id, n, outcome, final, latency_bucket, duration_bucket,
                                     latency_seconds, duration_seconds)
  select min(finished_at), tenant_id, lane_id, count(*), outcome, final, width_bucket(latency, headrace.histogram_bounds()),
         width_bucket(duration, headrace.histogram_bounds()), sum(latency), sum(duration)
    from accepted
   group by tenant_id, lane_id, outcome, final, 7, 8
), told as materialized (
  select pg_notify('headrace_ended', w.job_id::text)
    from (select distinct job_id from headrace.waiter) as w join accepted using (job_id) where final is not null
), woken as materialized (
  -- A place behind a gate is free, or a job can be claimed again at once: a worker that sleeps may take it.
  select headrace._wake_workers()
   where exists (select from accepted where gate is not null or (final is null and coalesce(delay, 0) <= 0))
)
select job_id, run from ended
 where not exists (select from accepted where accepted.job_id = ended.job_id) and (select count(*) from told) + (select count(*) from woken) >= 0

-- The worker met payloads of these definitions that it cannot read. Whoever claims for it is told, and leaves them to workers of
-- another version for a while.
-- name: note_misfits
with noted as (
  insert into headrace.misfit (worker_id, definition_id)
  select distinct $1::bigint, lane.definition_id
    from headrace.queue as q join headrace.lane on lane.id = q.lane_id
   where q.job_id = any($2) and q.worker_id = $1 and q.status = 'running'
  on conflict (worker_id, definition_id) do update set at = now() where misfit.at < now() - interval '10 seconds'
  returning 1)
select pg_notify('headrace', 'lanes') where exists (select from noted)
