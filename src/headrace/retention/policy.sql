-- name: now
select clock_timestamp()

-- name: list_definitions
select id, key, retention_days, retention_count from headrace.definition order by id

-- Newest first by (definition_id, id desc), as far as it takes; those that are live have not ended.
-- name: oldest_of_last
select id from headrace.job
 where definition_id = $1 and not exists (select from headrace.queue where queue.job_id = job.id)
 order by id desc offset $2 limit 1
