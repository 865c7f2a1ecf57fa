-- name: find_run
select cancel_requested, spent, queue.max_attempts, definition.key,
       retry_base_seconds, retry_cap_seconds, retry_jitter_seconds
  from headrace.queue
  join headrace.lane on lane.id = queue.lane_id
  join headrace.definition on definition.id = lane.definition_id
 where worker_id = $1 and job_id = $2 and run = $3 and status = 'running'

-- Locked against others who number lines of the same run.
-- name: lock_run
select clock_timestamp() from headrace.queue
 where worker_id = $1 and job_id = $2 and run = $3 and status = 'running'
   for update
