-- The worker must be live and not draining at this very moment: KEY SHARE conflicts with "mark lost" and not with heartbeats.
-- `job_id = any(array(…))` and not a join: joined, batches of 500 flip to a hash join over the whole table.
-- Suspects (a worker died under them) come from an index of their own, at most $4 of them, and count in the limit $3.

-- name: claim_from_lane
with me as materialized (
  select id from headrace.worker where id = $1 and state = 'live' and not draining for key share
), suspects as materialized (
  select job_id from headrace.queue
   where lane_id = $2 and status = 'queued' and suspect and exists (select from me)
   order by priority, seq limit $4 for update skip locked
), claimed as (
  update headrace.queue
     set status = 'running', worker_id = $1, run = run + 1, claimed_at = clock_timestamp(),
         dedupe_key = case when dedupe_waiting then null else dedupe_key end
   where job_id = any(array(
     select job_id from suspects
     union all
     select job_id from (
       select job_id from headrace.queue
        where lane_id = $2 and status = 'queued' and not suspect and exists (select from me)
        order by priority, seq limit $3 - (select count(*) from suspects) for update skip locked) as others))
  returning job_id, run, spent, max_attempts, lane_id, tenant_id, suspect, priority, seq
)
select job_id, run, spent, max_attempts, lane_id, tenant_id, suspect from claimed order by priority, seq

-- Several lanes: the top $5 of each without a lock, cut where a lane that has more might have come first (so the
-- order over all lanes is exact), and only then locked. Others may have taken all of these meanwhile: then the lane with
-- most waiting is claimed from directly, lest a worker goes to sleep beside a full queue.
-- name: claim_from_lanes
with me as materialized (
  select id from headrace.worker where id = $1 and state = 'live' and not draining for key share
), suspects as materialized (
  select job_id from headrace.queue
   where lane_id = any($2) and status = 'queued' and suspect and exists (select from me)
   order by priority, seq limit $4 for update skip locked
), top as materialized (
  select lane_id, head.job_id, head.priority, head.seq, head.rank
    from unnest($2::int[]) as lane_id
   cross join lateral (
     select job_id, priority, seq, row_number() over (order by priority, seq) as rank from (
       select job_id, priority, seq from headrace.queue
        where queue.lane_id = lane_id.lane_id and status = 'queued' and not suspect and exists (select from me)
        order by priority, seq limit $5) as first) as head
), cut as materialized (
  select priority, seq from top where rank = $5 order by priority, seq limit 1
), first as materialized (
  select job_id from headrace.queue
   where job_id = any(array(
           select job_id from top
            where not exists (select from cut) or (priority, seq) <= (select priority, seq from cut)
            order by priority, seq))
     and status = 'queued' and not suspect
   order by priority, seq limit $3 - (select count(*) from suspects) for update skip locked
), instead as materialized (
  select job_id from headrace.queue
   where lane_id = (select lane_id from top group by lane_id order by count(*) desc limit 1)
     and status = 'queued' and not suspect and not exists (select from first)
   order by priority, seq limit $3 - (select count(*) from suspects) for update skip locked
), claimed as (
  update headrace.queue
     set status = 'running', worker_id = $1, run = run + 1, claimed_at = clock_timestamp(),
         dedupe_key = case when dedupe_waiting then null else dedupe_key end
   where job_id = any(array(
     select job_id from suspects union all select job_id from first union all select job_id from instead))
  returning job_id, run, spent, max_attempts, lane_id, tenant_id, suspect, priority, seq
)
select job_id, run, spent, max_attempts, lane_id, tenant_id, suspect from claimed order by priority, seq

-- Its own statement: joined to the partitioned table the claim takes twenty times as long.
-- name: fetch_payloads
select id, payload, correlation_id, scheduled_for, source
  from headrace.job
 where id = any($1::uuid[])

-- An operator may have written 'infinity' or 'NaN' there: no timeout then, and waits of 31 years at most.
-- Whoever has '*sql' among its definitions runs every SQL job.
-- name: list_lanes
select lane.id, definition.key as definition, case when timeout_seconds < 1e9 then timeout_seconds end as timeout_seconds,
       least(retry_base_seconds, 1e9), least(retry_cap_seconds, 1e9), least(retry_jitter_seconds, 1e9),
       function_schema, function_name, function_signature
  from headrace.worker
  join headrace.lane on lane.queue = any(worker.queues) or '*' = any(worker.queues)
  join headrace.definition on definition.id = lane.definition_id
 where worker.id = $1
   and (definition.key = any(worker.definitions) or ('*sql' = any(worker.definitions) and definition.kind = 'sql'))
   and definition.enabled and not lane.paused
   and not exists (select from headrace.queue_pause
                    where queue_pause.queue = lane.queue and (resume_at is null or resume_at > now()))
 order by lane.id

-- name: list_tenants
select id, name from headrace.tenant

-- What the database says I hold and I do not know of (a claim whose reply was lost) goes back, unspent. A worker that
-- was called lost holds nothing that it could give back: a rescue counts its attempts.
-- name: list_held
select job_id, run from headrace.queue
 where worker_id = $1 and status = 'running' and exists (select from headrace.worker where id = $1 and state = 'live')
