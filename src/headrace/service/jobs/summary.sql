-- All tenants together are all but Headrace's own: what it does for itself is not what people ask about.

-- name: queue_bytes
select pg_relation_size('headrace.queue')

-- name: count_live
select status::text, count(*) as jobs, min(queued_at) as oldest
  from headrace.queue
 where case when $1::int is null then tenant_id is distinct from (select headrace._system_tenant()) else tenant_id = $1 end
 group by status

-- name: sampled
select status::text, sum(jobs)::bigint as jobs, min(oldest_queued_at) as oldest
  from headrace.queue_sample
 where case when $1::int is null then tenant_id is distinct from (select headrace._system_tenant()) else tenant_id = $1 end
 group by status

-- name: ended
with folded as (
  select sum(succeeded) as succeeded, sum(failed) as failed, sum(canceled) as canceled
    from headrace.rollup
   where minute >= date_trunc('minute', now() - $2::interval)
     and case when $1::int is null then tenant_id is distinct from (select headrace._system_tenant()) else tenant_id = $1 end)
select coalesce(succeeded, 0)::bigint as succeeded, coalesce(failed, 0)::bigint as failed,
       coalesce(canceled, 0)::bigint as canceled, date_trunc('minute', now() - $2::interval) as since, now() as now
  from folded

-- name: dead
select count(*)::int
  from (select from headrace.attempt
         where final = 'dead_letter' and $1::int is null and tenant_id is distinct from (select headrace._system_tenant())
         limit $2) as found

-- name: own_dead
select count(*)::int from (select from headrace.attempt where final = 'dead_letter' and tenant_id = $1 limit $2) as found
