-- Nothing when it is not due, or when somebody else is at it. $1: due or not.
-- name: take_turn
select true from headrace.rollup_turn
 where $1 or (select fold_in from headrace._rollups_due()) <= 0
   for update skip locked

-- Minutes, hours and totals add alike.
-- part: add_to_kept
    enqueued = kept.enqueued + excluded.enqueued, requeued = kept.requeued + excluded.requeued,
    succeeded = kept.succeeded + excluded.succeeded, failed = kept.failed + excluded.failed,
    canceled = kept.canceled + excluded.canceled, dead_letter = kept.dead_letter + excluded.dead_letter,
    runs = kept.runs + excluded.runs, retried = kept.retried + excluded.retried, timed_out = kept.timed_out + excluded.timed_out,
    lost = kept.lost + excluded.lost, snoozed = kept.snoozed + excluded.snoozed, released = kept.released + excluded.released,
    latency_sum = kept.latency_sum + excluded.latency_sum, duration_sum = kept.duration_sum + excluded.duration_sum,
    latency_buckets = headrace._add_buckets(kept.latency_buckets, excluded.latency_buckets),
    duration_buckets = headrace._add_buckets(kept.duration_buckets, excluded.duration_buckets)

-- What is deleted is added, for each minute, each hour and for ever. Under the turn's lock nobody else writes these rows;
-- what another turn folded after our snapshot was taken is gone when we come to delete it, so nothing is counted twice.
-- A lane in which something happened is in use again: every job that comes leaves a delta with it.
-- How long a run took is told of those that came to an end of their own: not released, lost, snoozed or canceled.
-- name: fold_batch
with taken as materialized (
  delete from headrace.rollup_delta
   where ctid = any(array(select ctid from headrace.rollup_delta limit $1))
  returning at, tenant_id, lane_id, n, outcome, final, latency_bucket, duration_bucket, again, latency_seconds, duration_seconds
), used as (
  update headrace.lane set unused_since = null where unused_since is not null and id = any(array(select lane_id from taken))
), timed as (
  select taken.*, definition_id, date_trunc('minute', at, 'UTC') as minute, date_trunc('hour', at, 'UTC') as hour,
         outcome in ('succeeded', 'failed', 'timed_out', 'retried') as of_its_own
    from taken join headrace.lane on lane.id = lane_id
), folded as materialized (
  select minute, hour, tenant_id, definition_id,
         coalesce(sum(n) filter (where outcome is null and not again), 0) as enqueued,
         coalesce(sum(n) filter (where outcome is null and again), 0) as requeued,
         coalesce(sum(n) filter (where final = 'succeeded'), 0) as succeeded,
         coalesce(sum(n) filter (where final = 'failed'), 0) as failed,
         coalesce(sum(n) filter (where final = 'canceled'), 0) as canceled,
         coalesce(sum(n) filter (where final = 'dead_letter'), 0) as dead_letter,
         coalesce(sum(n) filter (where latency_bucket is not null), 0) as runs,
         coalesce(sum(n) filter (where final is null and outcome not in ('snoozed', 'released')), 0) as retried,
         coalesce(sum(n) filter (where outcome = 'timed_out'), 0) as timed_out,
         coalesce(sum(n) filter (where outcome = 'lost'), 0) as lost,
         coalesce(sum(n) filter (where outcome = 'snoozed'), 0) as snoozed,
         coalesce(sum(n) filter (where outcome = 'released'), 0) as released,
         coalesce(sum(latency_seconds), 0) as latency_sum,
         coalesce(sum(duration_seconds) filter (where of_its_own), 0) as duration_sum,
         headrace._as_buckets(array_agg(latency_bucket), array_agg(n::bigint)) as latency_buckets,
         headrace._as_buckets(array_agg(duration_bucket) filter (where of_its_own),
                              array_agg(n::bigint) filter (where of_its_own)) as duration_buckets
    from timed
   group by grouping sets ((minute, tenant_id, definition_id), (hour, tenant_id, definition_id), (tenant_id, definition_id))
), minutes as (
  insert into headrace.rollup as kept (
    minute, tenant_id, definition_id, enqueued, requeued, succeeded, failed, canceled, dead_letter, runs, retried, timed_out,
    lost, snoozed, released, latency_sum, duration_sum, latency_buckets, duration_buckets)
  select minute, tenant_id, definition_id, enqueued, requeued, succeeded, failed, canceled, dead_letter, runs, retried, timed_out,
         lost, snoozed, released, latency_sum, duration_sum, latency_buckets, duration_buckets
    from folded where minute is not null
  on conflict (minute, tenant_id, definition_id) do update set
    -- include: add_to_kept
), hours as (
  insert into headrace.rollup_hour as kept (
    hour, tenant_id, definition_id, enqueued, requeued, succeeded, failed, canceled, dead_letter, runs, retried, timed_out,
    lost, snoozed, released, latency_sum, duration_sum, latency_buckets, duration_buckets)
  select hour, tenant_id, definition_id, enqueued, requeued, succeeded, failed, canceled, dead_letter, runs, retried, timed_out,
         lost, snoozed, released, latency_sum, duration_sum, latency_buckets, duration_buckets
    from folded where hour is not null
  on conflict (hour, tenant_id, definition_id) do update set
    -- include: add_to_kept
), totals as (
  insert into headrace.rollup_total as kept (
    tenant_id, definition_id, enqueued, requeued, succeeded, failed, canceled, dead_letter, runs, retried, timed_out,
    lost, snoozed, released, latency_sum, duration_sum, latency_buckets, duration_buckets)
  select tenant_id, definition_id, enqueued, requeued, succeeded, failed, canceled, dead_letter, runs, retried, timed_out,
         lost, snoozed, released, latency_sum, duration_sum, latency_buckets, duration_buckets
    from folded where minute is null and hour is null
  on conflict (tenant_id, definition_id) do update set
    -- include: add_to_kept
)
select count(*) from taken

-- name: note_folded
update headrace.rollup_turn set folded_at = clock_timestamp(), fold_took = clock_timestamp() - now()
