-- No tenant and no definition means all of them but Headrace's own. Minutes and hours have the same columns, in the same order. What happened
-- in the last few seconds is not folded yet.

-- name: histogram_bounds
select headrace.histogram_bounds()

-- Whole hours, and the minutes before the first of them ($3).
-- name: summary
with spans as (
  select * from headrace.rollup
   where minute >= $2 and minute < $3
     and case when $1::int is null then tenant_id is distinct from (select headrace._system_tenant()) else tenant_id = $1 end
  union all
  select * from headrace.rollup_hour
   where hour >= $3
     and case when $1::int is null then tenant_id is distinct from (select headrace._system_tenant()) else tenant_id = $1 end
)
select sum(enqueued) as enqueued, sum(requeued) as requeued, sum(succeeded) as succeeded, sum(failed) as failed,
       sum(canceled) as canceled, sum(dead_letter) as dead_letter, sum(runs) as runs, sum(retried) as retried,
       sum(timed_out) as timed_out, sum(lost) as lost, sum(snoozed) as snoozed, sum(released) as released
  from spans

-- A row for each step, also where nothing happened. $6: of hours, else of minutes. The depth is that of the step's fullest span.
-- name: series
with spans as materialized (
  select * from headrace.rollup
   where not $6::bool and minute >= $3 and minute < $4
     and ($1::int is null or tenant_id = $1) and ($2::int is null or definition_id = $2)
     and (num_nonnulls($1::int, $2::int) > 0 or tenant_id is distinct from (select headrace._system_tenant()))
  union all
  select * from headrace.rollup_hour
   where $6::bool and hour >= $3 and hour < $4
     and ($1::int is null or tenant_id = $1) and ($2::int is null or definition_id = $2)
     and (num_nonnulls($1::int, $2::int) > 0 or tenant_id is distinct from (select headrace._system_tenant()))
), depths as (
  select date_bin($5, minute, $3) as step, max(depth) as depth
    from (select minute, sum(depth) as depth from spans group by minute) as each
   group by step
)
select step, sum(enqueued) as enqueued, sum(requeued) as requeued, sum(succeeded) as succeeded, sum(failed) as failed,
       sum(canceled) as canceled, sum(dead_letter) as dead_letter, sum(runs) as runs, sum(retried) as retried,
       sum(timed_out) as timed_out, sum(lost) as lost, sum(snoozed) as snoozed, sum(released) as released,
       max(depths.depth) as depth, sum(latency_sum) as latency_sum, sum(duration_sum) as duration_sum,
       headrace.sum_buckets(latency_buckets) as latency_buckets, headrace.sum_buckets(duration_buckets) as duration_buckets
  from generate_series($3::timestamptz, $4::timestamptz - interval '1 microsecond', $5::interval) as step
  left join spans on date_bin($5, minute, $3) = step
  left join depths using (step)
 group by step
 order by step

-- The definitions with the most runs, and how many there were in each of $6 equal steps. $5: of hours, else of minutes.
-- name: busiest
with spans as materialized (
  select * from headrace.rollup
   where not $5::bool and minute >= $2 and minute < $3 and ($1::int is null or tenant_id = $1)
  union all
  select * from headrace.rollup_hour
   where $5::bool and hour >= $2 and hour < $3 and ($1::int is null or tenant_id = $1)
), placed as (
  select *, least($6::int, 1 + floor($6 * extract(epoch from minute - $2) / extract(epoch from $3 - $2::timestamptz))::int) as place
    from spans
), stepped as (
  select definition_id, place, sum(runs) as runs from placed group by definition_id, place
)
select definition.key as definition, definition.kind::text, sum(runs)::bigint as runs,
       sum(failed + dead_letter + retried)::bigint as bad, sum(duration_sum) as duration_sum,
       headrace.sum_buckets(duration_buckets) as duration_buckets,
       array(select coalesce((select stepped.runs::bigint from stepped
                               where stepped.definition_id = definition.id and stepped.place = n), 0)
               from generate_series(1, $6::int) as n order by n) as steps
  from placed join headrace.definition on definition.id = placed.definition_id
 group by definition.id
having sum(runs) > 0
 order by runs desc, definition.key
 limit $4

-- name: totals
select tenant_id, tenant.name as tenant, definition_id, definition.key as definition,
       enqueued, requeued, succeeded, failed, canceled, dead_letter, runs, retried, timed_out, lost, snoozed, released,
       latency_sum, duration_sum, latency_buckets, duration_buckets
  from headrace.rollup_total
  join headrace.tenant on tenant.id = tenant_id
  join headrace.definition on definition.id = definition_id
 order by tenant.name, definition.key

-- name: sampled_at
select sampled_at from headrace.rollup_turn where sampled_at > 'epoch'

-- name: depth
select tenant_id, tenant.name as tenant, lane.queue, definition_id, definition.key as definition, status::text, jobs,
       oldest_queued_at
  from headrace.queue_sample
  join headrace.tenant on tenant.id = tenant_id
  join headrace.lane on lane.id = lane_id
  join headrace.definition on definition.id = definition_id
 where $1::int is null or tenant_id = $1
 order by lane.queue, definition.key, queue_sample.status, tenant.name

-- name: usual_of_all
select definition.key as definition, sum(duration_sum) as duration_sum, headrace.sum_buckets(duration_buckets) as duration_buckets
  from headrace.rollup_hour join headrace.definition on definition.id = definition_id
 where hour >= now() - interval '7 days' and ($1::int is null or tenant_id = $1)
 group by definition.key
 order by definition.key

-- name: usual_durations
select definition_id, sum(duration_sum) as duration_sum, headrace.sum_buckets(duration_buckets) as duration_buckets
  from headrace.rollup_hour
 where definition_id = any($1::int[]) and hour >= now() - interval '7 days' and ($2::int is null or tenant_id = $2)
 group by definition_id
