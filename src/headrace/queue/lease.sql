-- name: register_worker
insert into headrace.worker (name, hostname, pid, version, queues, definitions, concurrency, lease, principal, process, schemas,
                             lease_expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + $8)
returning id

-- Whoever is still called live renews, even after its lease ran out: nobody else has taken its jobs, and an outage
-- longer than the lease must not redeliver them. No row means lost.
-- name: renew_lease
update headrace.worker set lease_expires_at = clock_timestamp() + lease, heartbeat_at = clock_timestamp(), running = $2,
       memory_bytes = coalesce($3, memory_bytes)
 where id = $1 and state = 'live'
returning heartbeat_at, draining

-- A lost worker that came back knows that it was silent because its process stood still. What was rescued from it meanwhile says so,
-- and what is rescued from now on will. Nothing else of those runs is changed: others have the jobs.
-- name: note_standstill
with me as (
  update headrace.worker set stood_still = make_interval(secs => $2)
   where id = $1 and state = 'lost' and stood_still is null
  returning id, stood_still, stopped_at
)
update headrace.attempt as a set error = headrace._lost_error(me.stood_still)
  from me
 where a.error is not null and a.finished_at >= me.stopped_at and a.worker_id = me.id and a.outcome = 'lost'

-- name: list_cancel_requests
select job_id, run from headrace.queue where worker_id = $1 and status = 'running' and cancel_requested

-- name: stop_worker
update headrace.worker set state = 'stopped', stopped_at = now(), armed = false, running = 0 where id = $1 and state = 'live'

-- name: set_armed
update headrace.worker set armed = $2 where id = $1 and armed <> $2 and state = 'live'

-- name: set_definitions
update headrace.worker set definitions = $2, schemas = $3 where id = $1

-- name: write_progress
insert into headrace.progress (job_id, fraction, message)
select * from unnest($1::uuid[], $2::real[], $3::text[])
on conflict (job_id) do update set fraction = excluded.fraction, message = excluded.message, updated_at = now()
