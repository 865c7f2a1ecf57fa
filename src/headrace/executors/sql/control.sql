-- name: cancel
select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and backend_start = $2

-- True when it is gone, false when it still runs after so many milliseconds, no row when there is none.
-- name: terminate
select pg_terminate_backend(pid, $3) from pg_stat_activity where pid = $1 and backend_start = $2
