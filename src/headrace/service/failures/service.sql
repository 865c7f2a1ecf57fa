-- part: with_names
select job_id, run, definition.key as definition, definition.system, worker.name as worker, final::text, finished_at, error
  from newest
  join headrace.lane on lane.id = newest.lane_id
  join headrace.definition on definition.id = lane.definition_id
  left join headrace.worker on worker.id = newest.worker_id
 order by finished_at desc

-- Cut off before anything is joined, so that a storm of failures costs as much as a window of them; and all of the window is
-- given, so that it is known how far back it reaches.
-- name: newest_errors
with newest as materialized (
  select job_id, run, lane_id, worker_id, final, finished_at, left(error, 1000) as error
    from headrace.attempt
   where tenant_id = $1 and error is not null and finished_at >= $2 and outcome in ('failed', 'timed_out', 'retried', 'lost')
   order by finished_at desc limit $3
)
-- include: with_names

-- name: newest_errors_of_all
with newest as materialized (
  select job_id, run, lane_id, worker_id, final, finished_at, left(error, 1000) as error
    from headrace.attempt
   where error is not null and finished_at >= $1 and outcome in ('failed', 'timed_out', 'retried', 'lost')
   order by finished_at desc limit $2
)
-- include: with_names

-- name: tracebacks
select job_id, run, traceback
  from headrace.attempt join unnest($1::uuid[], $2::int[]) as wanted (job_id, run) using (job_id, run)
 where $3::int is null or tenant_id = $3
