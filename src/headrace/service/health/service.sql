-- name: live_workers
select count(*)::int from headrace.worker where state = 'live' and lease_expires_at > now()

-- name: notify
select pg_notify($1, '')
