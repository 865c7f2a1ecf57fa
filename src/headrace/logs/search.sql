-- name: search_log
select hits, complete, before_at, before_job_id, before_run, before_seq
  from headrace.search_log($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)

-- name: search_own_log
select hits, complete, before_at, before_job_id, before_run, before_seq
  from headrace.search_own_log($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: set_patience
select set_config('headrace.search_seconds', $1, true)
