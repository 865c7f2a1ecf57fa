-- name: create_partitions
select headrace._make_partitions()

-- name: partitions_ahead
select count(*) from headrace.partition where lower_bound > now()

-- The last word of jobs that ended a while ago, and waits that nobody waits for.
-- name: forget_ended_progress
delete from headrace.progress
 where updated_at < now() - interval '1 day'
   and not exists (select from headrace.queue where queue.job_id = progress.job_id)

-- name: forget_waiters
delete from headrace.waiter where expires_at < now()

-- Their names stand beside the attempts of jobs for as long as most of these are kept. What one still holds is rescued first.
-- name: forget_workers
delete from headrace.worker
 where state <> 'live' and stopped_at < now() - interval '90 days'
   and not exists (select from headrace.queue where queue.worker_id = worker.id and status = 'running')
