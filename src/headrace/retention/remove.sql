-- name: list_leaving
select suffix, headrace._first_id(lower_bound), headrace._first_id(upper_bound)
  from headrace.partition where leaving order by lower_bound

-- name: forget_keys
with gone as (
  delete from headrace.idempotency
   where ctid = any(array(select ctid from headrace.idempotency where job_id >= $1 and job_id < $2 order by job_id limit $3))
  returning 1
)
select count(*) from gone

-- A plain DETACH would wait for every open enqueue and have all others wait behind it; one that was interrupted must be
-- finalized.
-- name: list_detaching
select format('alter table headrace.%I detach partition headrace.%I %s', parent, parent || '_' || $1,
              case when inhdetachpending then 'finalize' else 'concurrently' end)
  from unnest(array['attempt', 'job']) as parent
  join pg_catalog.pg_inherits on inhrelid = to_regclass(format('headrace.%I', parent || '_' || $1))

-- name: list_dropping
select format('drop table if exists headrace.%I', parent || '_' || $1) from unnest(array['attempt', 'job']) as parent

-- As one who does not own the tables.
-- name: drop_week
select headrace._drop_leaving_week($1)

-- name: forget_week
delete from headrace.partition where suffix = $1
