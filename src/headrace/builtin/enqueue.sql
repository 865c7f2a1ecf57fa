-- name: enqueue_system_job
select headrace.enqueue($1, $2::jsonb, tenant => $3, dedupe_key => $4, source => 'system', created_by => $5)

-- Workers leave the lanes of system jobs out of their claims while nothing waits in them, and look every few seconds.
-- name: tell_workers
select pg_notify('headrace', 'lanes')
