-- Without a state: those that live, and those that ended within a day. A worker beats every third of its lease: one that has not for two of them is stale, and lost when the lease is over.
-- name: list_workers
select id, name, hostname, pid, version, queues, definitions, concurrency, running, memory_bytes, state::text, draining,
       state = 'live' and heartbeat_at < now() - lease * 2 / 3 as stale, lease, lease_expires_at, started_at, heartbeat_at, stopped_at,
       array(select job_id from headrace.queue
              where queue.worker_id = worker.id and status = 'running' order by job_id limit $4) as running_jobs
  from headrace.worker
 where id < $1 and ($2::text is null or state::text = $2)
   and ($2 is not null or state = 'live' or stopped_at > now() - interval '1 day')
 order by id desc limit $3

-- name: get_worker
select id, name, hostname, pid, version, queues, definitions, concurrency, running, memory_bytes, state::text, draining,
       state = 'live' and heartbeat_at < now() - lease * 2 / 3 as stale, lease, lease_expires_at, started_at, heartbeat_at, stopped_at,
       array(select job_id from headrace.queue
              where queue.worker_id = worker.id and status = 'running' order by job_id limit $2) as running_jobs
  from headrace.worker
 where id = $1

-- name: drain_worker
update headrace.worker set draining = true where id = $1 and state = 'live' and not draining

-- name: tell_worker
select pg_notify('headrace', 'drain ' || $1::bigint)
