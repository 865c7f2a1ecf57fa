-- Jobs whose time has come. A new seq puts them behind those already waiting. now() and not clock_timestamp(): a
-- volatile bound is no index condition, and each look would walk over all that is scheduled for the future.
-- name: promote_due
update headrace.queue set status = 'queued', run_at = null, queued_at = now(), seq = nextval('headrace.queue_seq')
 where job_id = any(array(
   select job_id from headrace.queue
    where status = 'scheduled' and run_at <= now()
    order by run_at limit $1 for update skip locked))
returning job_id

-- name: wake_workers
select headrace._wake_workers()
