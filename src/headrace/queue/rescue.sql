-- One-way: from here on the worker's writes find nothing, and if it lives it registers anew. The lease is checked
-- again under the row's lock, where a heartbeat may just have renewed it. $1 is how long our own ticks have gone
-- well: after an outage nobody is called lost before each worker had its whole lease to come back.
-- name: mark_lost_workers
with expired as (
  select id from headrace.worker
   where state = 'live' and lease_expires_at <= now() and lease <= $1::interval
     for update skip locked
)
update headrace.worker set state = 'lost', stopped_at = now(), armed = false
 where id in (select id from expired) and state = 'live' and lease_expires_at <= now()
returning id, name

-- Whoever starts the embedded server with nobody else about knows that its former workers are gone.
-- name: mark_all_lost
update headrace.worker set state = 'lost', stopped_at = now(), armed = false where state = 'live' returning id, name

-- Jobs whose worker is lost, stopped or gone: canceled if that was asked for, dead letter if this was the last
-- attempt, else queued again behind the others as suspects. The condition is checked on the locked row, hence the
-- array: a "not exists" beside the lock is not asked again about the worker that has claimed the row meanwhile.
-- name: rescue_jobs
with abandoned as materialized (
  select job_id, run, tenant_id, lane_id, worker_id, queued_at, claimed_at, spent + 1 as spent,
         case when cancel_requested then 'canceled' when spent + 1 >= max_attempts then 'dead_letter' end::headrace.job_status as final
    from headrace.queue
   where status = 'running'
     and worker_id = any(array(
       select worker_id from headrace.queue as held
        where status = 'running' and not exists (select from headrace.worker where id = held.worker_id and state = 'live')))
   -- The order of queue_held: by job_id old statistics would have it walk the whole table. Who skips cannot deadlock.
   order by worker_id limit 500
     for update skip locked
), moment as materialized (
  select clock_timestamp() as finished_at
), gone as (
  delete from headrace.queue where job_id = any(array(select job_id from abandoned where final is not null))
), back as (
  update headrace.queue as q
     set status = 'queued', queued_at = now(), seq = nextval('headrace.queue_seq'), spent = abandoned.spent, suspect = true,
         worker_id = null, claimed_at = null
    from abandoned
   where q.job_id = abandoned.job_id and final is null
), written as (
  insert into headrace.attempt (job_id, run, tenant_id, lane_id, worker_id, outcome, final, spent, queued_at, started_at,
                                finished_at, error)
  select job_id, run, tenant_id, lane_id, worker_id, 'lost', final, spent, queued_at, claimed_at,
         (select finished_at from moment), 'the worker was lost while it ran this job'
    from abandoned
), counted as (
  insert into headrace.rollup_delta (at, tenant_id, lane_id, n, outcome, final, latency_bucket, latency_seconds)
  select (select finished_at from moment), tenant_id, lane_id, count(*), 'lost', final,
         width_bucket(date_part('epoch', claimed_at - queued_at), headrace.histogram_bounds()),
         sum(date_part('epoch', claimed_at - queued_at))
    from abandoned
   group by tenant_id, lane_id, final, 7
), told as materialized (
  select headrace._tell_waiters(job_id) from abandoned where final is not null
)
select job_id, final::text from abandoned where (select count(*) from told) >= 0
