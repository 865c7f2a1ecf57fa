-- One-way: from here on the worker's writes find nothing, and if it lives it registers anew. The lease is checked
-- again under the row's lock, where a heartbeat may just have renewed it. $1 is when whoever asks has last seen the
-- database, $2 and $3 are when its gaps ended and how long they were. Who sees no more than a third of a lease at a
-- time cannot tell a silent worker from a database that stood still: only a whole lease without such a gap counts, and
-- the last gap is measured here, because the statement itself may have waited. So nobody is called lost before each
-- worker had its whole lease to come back.
-- name: mark_lost_workers
with expired as (
  select id from headrace.worker
   where state = 'live' and lease_expires_at <= now()
     and clock_timestamp() - $1::timestamptz <= lease / 3
     and lease <= now() - (select max(ended_at) from unnest($2::timestamptz[], $3::interval[]) as gap (ended_at, length)
                            where length > lease / 3)
     for update skip locked
)
update headrace.worker
   set state = 'lost', stopped_at = now(), armed = false,
       lost_with = (select count(*) from headrace.queue where queue.worker_id = worker.id and queue.status = 'running')
 where id in (select id from expired) and state = 'live' and lease_expires_at <= now()
returning id, name

-- The database's time, and how short a silence somebody must be able to see.
-- name: look
select clock_timestamp(), min(lease) from headrace.worker where state = 'live'

-- On the embedded server it can be asked whether a worker's process is still there: no need to wait for its lease.
-- name: mark_gone_workers
update headrace.worker
   set state = 'lost', stopped_at = now(), armed = false,
       lost_with = (select count(*) from headrace.queue where queue.worker_id = worker.id and queue.status = 'running')
 where state = 'live' and process = any($1::text[])
returning id, name

-- Jobs whose worker is lost, stopped or gone: canceled if that was asked for, dead letter if this was the last
-- attempt, else queued again behind the others as suspects. The condition is checked on the locked row, hence the
-- array: a "not exists" beside the lock is not asked again about the worker that has claimed the row meanwhile.
-- A job that was lost before, and is lost again beside others, pays nothing: it has paid for one crash, and this one may well
-- be theirs. After ten losses it pays all the same. A snooze or a retry between two losses changes none of that.
-- name: rescue_jobs
with abandoned as materialized (
  select job_id, run, tenant_id, lane_id, worker_id, gate, queued_at, claimed_at, spent + pays as spent, pays = 0 as excused,
         case when cancel_requested then 'canceled' when spent + pays >= max_attempts then 'dead_letter' end::headrace.job_status as final
    from headrace.queue
   cross join lateral (
     select case when (select count(*) from headrace.attempt as past where past.job_id = queue.job_id and past.outcome = 'lost') between 1 and 9
                  and coalesce((select lost_with > 1 from headrace.worker where id = queue.worker_id),
                               exists (select from headrace.queue as beside where beside.worker_id = queue.worker_id
                                        and beside.status = 'running' and beside.job_id <> queue.job_id))
                 then 0 else 1 end as pays) as bill
   where status = 'running'
     and worker_id = any(array(
       select worker_id from headrace.queue as held
        where status = 'running' and not exists (select from headrace.worker where id = held.worker_id and state = 'live')))
   -- The order of queue_held: by job_id old statistics would have it walk the whole table. Who skips cannot deadlock.
   order by worker_id limit 500
     for update of queue skip locked
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
         (select finished_at from moment),
         headrace._lost_error((select stood_still from headrace.worker where id = abandoned.worker_id))
           || case when excused then '; this is not counted, because the job was hit before and others ran beside it' else '' end
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
), woken as materialized (
  -- As in finish: a job can be claimed again, or a place behind a gate is free.
  select headrace._wake_workers() where exists (select from abandoned where gate is not null or final is null)
)
select job_id, final::text from abandoned where (select count(*) from told) + (select count(*) from woken) >= 0
