-- $1: since when. $2: the tenants of whom somebody listens. $3: whether somebody listens to all, which is
-- all but Headrace itself. $4: the most of each.

-- Ids are made of times. A tenant's are read by its own index, so that a busy neighbour costs nothing.
-- name: created
select id as job_id, tenant_id, 0 as run, 'created' as what, null::float8 as at, false as cut
  from unnest($2::int[]) as listened
 cross join lateral (select id, tenant_id from headrace.job
                      where tenant_id = listened and id >= headrace._first_id($1) order by id desc limit $4) as found
union all
(select id, tenant_id, 0, 'created', null, false from headrace.job
  where $3::bool and id >= headrace._first_id($1) and tenant_id is distinct from (select headrace._system_tenant())
  order by id desc limit $4)

-- However much has ended, so much is looked at; "cut" says that it was more.
-- name: ended
with recent as materialized (
  select job_id, tenant_id, run, finished_at from headrace.attempt
   where finished_at >= $1 and (($3::bool and tenant_id is distinct from (select headrace._system_tenant())) or tenant_id = any($2::int[]))
   limit 10 * $4
)
select job_id, tenant_id, run, 'ended' as what, null::float8 as at, (select count(*) from recent) >= 10 * $4 as cut
  from (select *, row_number() over (partition by tenant_id order by finished_at desc) as nth from recent) as each
 where nth <= $4

-- Of a large queue only what runs, by its small index; a small one is read whole, with what waits again or is due.
-- name: running
select job_id, tenant_id, run, 'running' as what, at, false as cut
  from (select q.job_id, q.tenant_id, q.run, extract(epoch from p.updated_at)::float8 as at,
               row_number() over (partition by q.tenant_id order by q.claimed_at desc) as nth
          from headrace.queue as q left join headrace.progress as p on p.job_id = q.job_id and p.updated_at >= $1
         where q.status = 'running' and (q.claimed_at >= $1 or p.job_id is not null)
           and (($3::bool and q.tenant_id is distinct from (select headrace._system_tenant())) or q.tenant_id = any($2::int[]))) as each
 where nth <= $4

-- name: live
select job_id, tenant_id, run, status::text as what, at, false as cut
  from (select q.job_id, q.tenant_id, q.run, q.status, extract(epoch from coalesce(p.updated_at, q.queued_at))::float8 as at,
               row_number() over (partition by q.tenant_id order by greatest(q.claimed_at, q.queued_at) desc) as nth
          from headrace.queue as q left join headrace.progress as p on p.job_id = q.job_id and p.updated_at >= $1
         where (q.claimed_at >= $1 or q.queued_at >= $1 or (p.job_id is not null and q.status = 'running'))
           and (($3::bool and q.tenant_id is distinct from (select headrace._system_tenant())) or q.tenant_id = any($2::int[]))) as each
 where nth <= $4

-- name: now
select clock_timestamp() as now, pg_relation_size('headrace.queue') as queue_bytes

-- Bound by pages and not by what statistics say, which know nothing of the last seconds.
-- name: by_index
set local enable_seqscan = off

-- name: by_any_means
set local enable_seqscan = on

-- name: sampled
select tenant_id, status::text, sum(jobs)::bigint as jobs
  from headrace.queue_sample
 where ($2::bool and tenant_id is distinct from (select headrace._system_tenant())) or tenant_id = any($1::int[])
 group by tenant_id, status

-- name: totals
select tenant_id, sum(enqueued)::bigint as enqueued, sum(succeeded)::bigint as succeeded, sum(failed)::bigint as failed,
       sum(canceled)::bigint as canceled, sum(dead_letter)::bigint as dead_letter
  from headrace.rollup_total
 where ($2::bool and tenant_id is distinct from (select headrace._system_tenant())) or tenant_id = any($1::int[])
 group by tenant_id
