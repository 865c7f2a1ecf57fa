-- name: list_own
select key, retention_days, retention_count from headrace.definition
 where num_nonnulls(retention_days, retention_count) > 0 order by key

-- name: last_run
select job.id, attempt.final::text, attempt.finished_at, attempt.result
  from headrace.job join headrace.attempt on attempt.job_id = job.id
 where job.definition_id = (select id from headrace.definition where key = $1) and attempt.final is not null
 order by job.id desc limit 1
