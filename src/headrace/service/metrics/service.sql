-- Everything here reads what was counted before: its cost follows the number of tenants and definitions, not of jobs.

-- The busiest pairs, of which the caller shows the first so many.
-- name: busiest
select tenant_id, definition_id from headrace.rollup_total order by enqueued + runs desc limit $1

-- Pairs that are not shown by name are one row without names. As floating-point numbers, which are exact up to 2^53 and
-- added four times as fast as numeric ones.
-- name: totals
select tenant.name as tenant, definition.key as definition, counted.*
  from (select shown.tenant_id, shown.definition_id,
               sum(enqueued::float8) as enqueued, sum(requeued::float8) as requeued, sum(succeeded::float8) as succeeded,
               sum(failed::float8) as failed, sum(canceled::float8) as canceled, sum(dead_letter::float8) as dead_letter,
               sum(retried::float8) as retried, sum(timed_out::float8) as timed_out, sum(lost::float8) as lost
          from headrace.rollup_total as total
          left join unnest($1::int[], $2::int[]) as shown (tenant_id, definition_id)
            on (shown.tenant_id, shown.definition_id) = (total.tenant_id, total.definition_id)
         group by shown.tenant_id, shown.definition_id) as counted
  left join headrace.tenant on tenant.id = counted.tenant_id
  left join headrace.definition on definition.id = counted.definition_id

-- Spelt out, for to add arrays takes four times as long. As many as headrace.histogram_bounds() has, and one.
-- name: histograms
select definition.key as definition, counted.*, headrace.histogram_bounds() as bounds
  from (select case when definition_id = any($1::int[]) then definition_id end as definition_id,
               sum(latency_sum) as latency_sum, sum(duration_sum) as duration_sum,
               array[sum(latency_buckets[1]::float8), sum(latency_buckets[2]::float8), sum(latency_buckets[3]::float8),
                     sum(latency_buckets[4]::float8), sum(latency_buckets[5]::float8), sum(latency_buckets[6]::float8),
                     sum(latency_buckets[7]::float8), sum(latency_buckets[8]::float8), sum(latency_buckets[9]::float8),
                     sum(latency_buckets[10]::float8), sum(latency_buckets[11]::float8), sum(latency_buckets[12]::float8),
                     sum(latency_buckets[13]::float8), sum(latency_buckets[14]::float8), sum(latency_buckets[15]::float8),
                     sum(latency_buckets[16]::float8), sum(latency_buckets[17]::float8), sum(latency_buckets[18]::float8),
                     sum(latency_buckets[19]::float8), sum(latency_buckets[20]::float8), sum(latency_buckets[21]::float8),
                     sum(latency_buckets[22]::float8), sum(latency_buckets[23]::float8)] as latency,
               array[sum(duration_buckets[1]::float8), sum(duration_buckets[2]::float8), sum(duration_buckets[3]::float8),
                     sum(duration_buckets[4]::float8), sum(duration_buckets[5]::float8), sum(duration_buckets[6]::float8),
                     sum(duration_buckets[7]::float8), sum(duration_buckets[8]::float8), sum(duration_buckets[9]::float8),
                     sum(duration_buckets[10]::float8), sum(duration_buckets[11]::float8), sum(duration_buckets[12]::float8),
                     sum(duration_buckets[13]::float8), sum(duration_buckets[14]::float8), sum(duration_buckets[15]::float8),
                     sum(duration_buckets[16]::float8), sum(duration_buckets[17]::float8), sum(duration_buckets[18]::float8),
                     sum(duration_buckets[19]::float8), sum(duration_buckets[20]::float8), sum(duration_buckets[21]::float8),
                     sum(duration_buckets[22]::float8), sum(duration_buckets[23]::float8)] as duration
          from headrace.rollup_total
         group by 1) as counted
  left join headrace.definition on definition.id = counted.definition_id

-- name: depth
select tenant.name as tenant, counted.status, counted.jobs, counted.oldest_age
  from (select case when tenant_id = any($1::int[]) then tenant_id end as tenant_id, status::text, sum(jobs)::float8 as jobs,
               extract(epoch from now() - min(oldest_queued_at) filter (where status = 'queued'))::float8 as oldest_age
          from headrace.queue_sample
         group by 1, 2) as counted
  left join headrace.tenant on tenant.id = counted.tenant_id

-- name: workers
select case when state = 'lost' then 'lost' when heartbeat_at < now() - lease * 2 / 3 then 'stale'
            when draining then 'draining' else 'live' end as state, count(*)::int as workers
  from headrace.worker
 where state = 'live' or (state = 'lost' and stopped_at > now() - interval '1 hour')
 group by 1

-- name: clocks
select coalesce((select greatest(0, extract(epoch from now() - min(fire_at)))::float8 from headrace.trigger
                  where enabled and fire_at < now()), 0) as scheduler_lag,
       extract(epoch from now() - (select sampled_at from headrace.rollup_turn where sampled_at > 'epoch'))::float8 as sample_age
