-- name: create_partitions
select headrace._create_partitions()

-- name: partitions_ahead
select count(*) from headrace.partition where lower_bound > now()

-- The last word of jobs that ended a while ago, waits that nobody waits for, and workers of long ago.
-- name: forget_ended_progress
delete from headrace.progress
 where updated_at < now() - interval '1 day'
   and not exists (select from headrace.queue where queue.job_id = progress.job_id)

-- name: forget_waiters
delete from headrace.waiter where expires_at < now()
