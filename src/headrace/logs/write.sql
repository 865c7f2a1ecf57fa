-- Which runs this worker still holds, and where their lines belong. Locked, so that no finish and no rescue comes between
-- this and the commit (a rescue skips the row and comes back); in job_id order, as finish does, so the two cannot deadlock.
-- name: lock_held
with held as materialized (
  select job_id, run, tenant_id, lane_id
    from headrace.queue
   where job_id = any($2) and worker_id = $1 and status = 'running'
   order by job_id
     for share
), bounds as (
  select min(lower_bound) as earliest, max(upper_bound) - interval '1 microsecond' as latest
    from headrace.log_partition where not leaving
)
select job_id, run, held.tenant_id, definition_id, earliest, latest, row_security_active('headrace.log') as secured
  from held join headrace.lane on lane.id = held.lane_id cross join bounds

-- name: insert_lines
insert into headrace.log (tenant_id, definition_id, job_id, run, seq, at, level, stream, message, fields)
select * from unnest($1::int[], $2::int[], $3::uuid[], $4::int[], $5::int[], $6::timestamptz[], $7::smallint[], $8::smallint[],
                     $9::text[], $10::jsonb[])

-- name: stored_upto
select coalesce(max(seq), 0) from headrace.log where job_id = $1 and run = $2

-- name: stored_upto_of_many
select job_id, run, coalesce((select max(seq) from headrace.log where log.job_id = wanted.job_id and log.run = wanted.run), 0)
  from unnest($1::uuid[], $2::int[]) as wanted (job_id, run)
