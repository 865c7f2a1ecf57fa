-- name: version
select split_part(current_setting('server_version'), ' ', 1)

-- name: settings
select name, setting from pg_settings where name = any($1)

-- name: connections
select (select count(*) from pg_stat_activity where backend_type = 'client backend')::int,
       current_setting('max_connections')::int

-- name: notify
select pg_notify($1, '')
