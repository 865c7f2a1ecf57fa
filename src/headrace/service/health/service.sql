-- name: live_workers
select count(*)::int from headrace.worker where state = 'live' and lease_expires_at > now()

-- name: applied_steps
select number, checksum from headrace.migration order by number

-- name: notify
select pg_notify($1, '')
