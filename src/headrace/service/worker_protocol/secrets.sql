-- Those of these jobs that the worker has in hand, or had: the last word of a run often comes after its outcome.
-- name: own_jobs
select id from unnest($2::uuid[]) as id
 where exists (select from headrace.queue where queue.job_id = id and queue.worker_id = $1)
    or exists (select from headrace.attempt where attempt.job_id = id and attempt.worker_id = $1)
