-- Nothing when it is not due, or when somebody else is at it. $1: due or not.
-- name: take_turn
select true from headrace.rollup_turn
 where $1 or (select sample_in from headrace._rollups_due()) <= 0
   for update skip locked

-- One look at the whole queue. The most that waited goes into the minute and the hour; the turn's lock keeps folding away.
-- name: sample_queue
with counted as materialized (
  select tenant_id, lane_id, status, count(*) as jobs, min(queued_at) as oldest_queued_at
    from headrace.queue
   group by tenant_id, lane_id, status
), gone as (
  delete from headrace.queue_sample as kept
   where not exists (select from counted
                      where (counted.tenant_id, counted.lane_id, counted.status) = (kept.tenant_id, kept.lane_id, kept.status))
), sampled as (
  insert into headrace.queue_sample as kept (tenant_id, lane_id, status, jobs, oldest_queued_at)
  select tenant_id, lane_id, status, jobs, oldest_queued_at from counted
  on conflict (tenant_id, lane_id, status) do update set jobs = excluded.jobs, oldest_queued_at = excluded.oldest_queued_at
   where (kept.jobs, kept.oldest_queued_at) is distinct from (excluded.jobs, excluded.oldest_queued_at)
), waiting as materialized (
  select tenant_id, definition_id, sum(jobs) as depth
    from counted join headrace.lane on lane.id = lane_id
   where status = 'queued'
   group by tenant_id, definition_id
), minutes as (
  insert into headrace.rollup as kept (minute, tenant_id, definition_id, depth)
  select date_trunc('minute', now(), 'UTC'), tenant_id, definition_id, depth from waiting
  on conflict (minute, tenant_id, definition_id) do update set depth = excluded.depth where kept.depth < excluded.depth
), hours as (
  insert into headrace.rollup_hour as kept (hour, tenant_id, definition_id, depth)
  select date_trunc('hour', now(), 'UTC'), tenant_id, definition_id, depth from waiting
  on conflict (hour, tenant_id, definition_id) do update set depth = excluded.depth where kept.depth < excluded.depth
)
select coalesce(sum(jobs), 0)::bigint from counted

-- Lanes without live jobs, by the sample just made, of queues that nothing declares; and those that are declared or have jobs again.
-- Under the turn's lock nobody folds, so what comes meanwhile clears the mark with its delta, later.
-- name: note_unused_lanes
with unused as materialized (
  select lane.id from headrace.lane
   where not exists (select from headrace.queue_sample where lane_id = lane.id)
     and queue not in (
       select queue from headrace.definition where deleted_from_code_at is null
       union select queue from headrace.trigger where queue is not null
       union select unnest(queues) from headrace.worker where state = 'live'
       union select unnest(queues) from headrace.tenant
       union select queue from headrace.queue_setting
       union select queue from headrace.queue_pause)
)
update headrace.lane set unused_since = case when unused_since is null then now() end
 where (unused_since is null) = (id in (select id from unused))

-- name: note_sampled
update headrace.rollup_turn set sampled_at = clock_timestamp(), sample_took = clock_timestamp() - now()
