-- name: prune_minutes
with gone as (
  delete from headrace.rollup
   where ctid = any(array(select ctid from headrace.rollup where minute < now() - $1::interval order by minute limit $2))
  returning 1
)
select count(*) from gone

-- name: prune_hours
with gone as (
  delete from headrace.rollup_hour
   where ctid = any(array(select ctid from headrace.rollup_hour where hour < now() - $1::interval order by hour limit $2))
  returning 1
)
select count(*) from gone
