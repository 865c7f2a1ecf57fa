-- name: find_owner
select principal from headrace.worker where id = $1

-- Whoever asks for something is alive. Not `renew_lease`: how many jobs the worker runs is not said here.
-- name: show_life
update headrace.worker set lease_expires_at = clock_timestamp() + lease, heartbeat_at = clock_timestamp()
 where id = $1 and state = 'live'
returning extract(epoch from lease)::float8
