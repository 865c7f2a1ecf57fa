-- The worker must be live and not draining at this very moment: KEY SHARE conflicts with "mark lost" and not with heartbeats.
-- `job_id = any(array(…))` and not a join: joined, batches of 500 flip to a hash join over the whole table.
-- Suspects (a worker died under them) come from an index of their own, at most $4 of them, and count in the limit $3.
-- Jobs behind a gate are not for these statements. Nor is what a new limit concerns whose sweep is not through (`regate`);
-- "coalesce" keeps the planner from thinking that this leaves next to nothing, and a walk over the table cheap.

-- name: claim_from_lane
with me as materialized (
  select id from headrace.worker
   where id = $1 and state = 'live' and not draining
     and not exists (select from headrace.regate join headrace.lane using (definition_id) where lane.id = $2)
     and not exists (select from headrace.regate join headrace.lane using (queue) where lane.id = $2)
     for key share
), suspects as materialized (
  select job_id from headrace.queue
   where lane_id = $2 and status = 'queued' and suspect and gate is null and exists (select from me)
     and coalesce(tenant_id <> all(array(select tenant_id from headrace.regate where tenant_id is not null)), true)
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
        where lane_id = $2 and status = 'queued' and not suspect and gate is null and exists (select from me)
          and coalesce(tenant_id <> all(array(select tenant_id from headrace.regate where tenant_id is not null)), true)
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
), served as materialized (
  select lane_id from unnest($2::int[]) as lane_id
   where not exists (select from headrace.regate join headrace.lane using (definition_id) where lane.id = lane_id)
     and not exists (select from headrace.regate join headrace.lane using (queue) where lane.id = lane_id)
), suspects as materialized (
  select job_id from headrace.queue
   where lane_id = any(array(select lane_id from served)) and status = 'queued' and suspect and gate is null and exists (select from me)
     and coalesce(tenant_id <> all(array(select tenant_id from headrace.regate where tenant_id is not null)), true)
   order by priority, seq limit $4 for update skip locked
), top as materialized (
  select lane_id, head.job_id, head.priority, head.seq, head.rank
    from served
   cross join lateral (
     select job_id, priority, seq, row_number() over (order by priority, seq) as rank from (
       select job_id, priority, seq from headrace.queue
        where queue.lane_id = served.lane_id and status = 'queued' and not suspect and gate is null and exists (select from me)
          and coalesce(tenant_id <> all(array(select tenant_id from headrace.regate where tenant_id is not null)), true)
        order by priority, seq limit $5) as first) as head
), cut as materialized (
  select priority, seq from top where rank = $5 order by priority, seq limit 1
), first as materialized (
  select job_id from headrace.queue
   where job_id = any(array(
           select job_id from top
            where not exists (select from cut) or (priority, seq) <= (select priority, seq from cut)
            order by priority, seq))
     -- Said so that it does not remind the planner of queue_claim, which it would walk from end to end.
     and status = 'queued' and not suspect and num_nulls(gate) = 1
   order by priority, seq limit $3 - (select count(*) from suspects) for update skip locked
), instead as materialized (
  select job_id from headrace.queue
   where lane_id = (select lane_id from top group by lane_id order by count(*) desc limit 1)
     and status = 'queued' and not suspect and gate is null and not exists (select from first)
     and coalesce(tenant_id <> all(array(select tenant_id from headrace.regate where tenant_id is not null)), true)
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

-- How urgent the first of the jobs without a gate is.
-- name: first_priority
select min(priority) from unnest($1::int[]) as lane_id cross join lateral (
  select priority from headrace.queue
   where queue.lane_id = lane_id.lane_id and status = 'queued' and not suspect and gate is null
   order by priority, seq limit 1) as head

-- name: claim_gated
select * from headrace._claim_gated($1, $2, $3, $4, $5)

-- Its own statement: joined to the partitioned table the claim takes twenty times as long.
-- name: fetch_payloads
select id, payload, correlation_id, scheduled_for, source, trace_context
  from headrace.job
 where id = any($1::uuid[])

-- Somebody removed the record by hand, or its week: nobody can run it or show it, and each claim with it would fail. No
-- attempt is written, for it would have no job either.
-- name: remove_orphans
delete from headrace.queue as q using unnest($2::uuid[], $3::int[]) as held (job_id, run)
 where q.job_id = held.job_id and q.run = held.run and q.worker_id = $1 and q.status = 'running'
   and not exists (select from headrace.job where id = held.job_id)
returning q.job_id

-- What is compressed is unpacked to be measured; most payloads are not, and their size is known without reading them.
-- name: measure_payloads
select id, case when pg_column_compression(payload) is null then pg_column_size(payload) else octet_length(payload::text) end
  from headrace.job
 where id = any($1::uuid[])

-- Whoever has '*sql' among its definitions runs every SQL job. System jobs are for workers with a login to the database, and
-- their lanes are left out while they are empty, which is nearly always: a claim from one lane is cheaper than from ten.
-- name: list_lanes
select lane.id, definition.key as definition, timeout_seconds, retry_base_seconds, retry_cap_seconds, retry_jitter_seconds,
       lane.queue, function_schema, function_name, function_signature,
       definition.limited or setting.fair is true or setting.max_running is not null
         or exists (select from headrace.tenant where max_running is not null) or exists (select from headrace.tenant_pause)
         or waiting.behind_gates as gated,
       setting.fair is true as fair
  from headrace.worker
  join headrace.lane on lane.queue = any(worker.queues) or '*' = any(worker.queues)
  join headrace.definition on definition.id = lane.definition_id
  left join headrace.queue_setting as setting on setting.queue = lane.queue
 cross join lateral (
   -- Each with an order and a limit, for which there is an index: "exists" may well read all that waits, to find none.
   select coalesce((select true from headrace.queue
                     where lane_id = lane.id and status = 'queued' and gate is not null
                     order by tenant_id, gate limit 1), false) as behind_gates,
          coalesce((select true from headrace.queue
                     where lane_id = lane.id and status = 'queued' and not suspect and gate is null
                     order by priority, seq limit 1), false) as plain,
          coalesce((select true from headrace.queue
                     where lane_id = lane.id and status = 'queued' and suspect
                     order by priority, seq limit 1), false) as suspect) as waiting
 where worker.id = $1
   and (definition.key = any(worker.definitions) or ('*sql' = any(worker.definitions) and definition.kind = 'sql'))
   and definition.enabled and not lane.paused
   and (not definition.system or (worker.principal is null and (waiting.behind_gates or waiting.plain or waiting.suspect)))
   -- What it could not read a moment ago is for live workers of another version, if one of these reads it.
   and not exists (select from headrace.misfit as m
                    where m.worker_id = $1 and m.definition_id = definition.id and m.at > now() - interval '1 minute'
                      and exists (
                        select from headrace.worker as other
                         where other.state = 'live' and other.lease_expires_at > now() and not other.draining
                           and definition.key = any(other.definitions)
                           and (lane.queue = any(other.queues) or '*' = any(other.queues))
                           and other.schemas ->> definition.key is distinct from worker.schemas ->> definition.key
                           and not exists (select from headrace.misfit as theirs
                                            where theirs.worker_id = other.id and theirs.definition_id = definition.id
                                              and theirs.at > now() - interval '1 minute')))
   and not exists (select from headrace.queue_pause
                    where queue_pause.queue = lane.queue and (resume_at is null or resume_at > now()))
   and not exists (select from headrace.definition_pause as pause
                    where pause.definition_id = definition.id and (resume_at is null or resume_at > now()))
 order by lane.id

-- name: list_tenants
select id, name from headrace.tenant

-- What the database says I hold and I do not know of (a claim whose reply was lost) goes back, unspent. A worker that
-- was called lost holds nothing that it could give back: a rescue counts its attempts.
-- name: list_held
select job_id, run from headrace.queue
 where worker_id = $1 and status = 'running' and exists (select from headrace.worker where id = $1 and state = 'live')

-- The attempt before says why it was given back: no memory of ours would outlive a restart, or know of other workers.
-- name: list_released_before
select queue.job_id, queue.run, queue.spent, queue.max_attempts, queue.lane_id, queue.tenant_id, queue.suspect
  from unnest($2::uuid[], $3::int[]) as held (job_id, run)
  join headrace.queue using (job_id, run)
  join headrace.attempt as before on before.job_id = held.job_id and before.run = held.run - 1
 where queue.worker_id = $1 and queue.status = 'running' and before.outcome = 'released' and before.error = $4
