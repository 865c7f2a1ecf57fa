-- Whoever migrates holds this lock for each step, and is there under this name between two of them.
-- name: is_being_migrated
select exists (select from pg_locks
                where relation = to_regclass('headrace.migration') and mode = 'ShareUpdateExclusiveLock' and granted
                  and database = (select oid from pg_database where datname = current_database()))
    or exists (select from pg_stat_activity where datname = current_database() and application_name = 'headrace migrate')

-- name: ahead
select (select count(*) from headrace.partition where lower_bound > now())::int,
       (select count(*) from headrace.log_partition where lower_bound > now())::int

-- name: pending_detaches
select c.relname::text
  from pg_inherits
  join pg_class as c on c.oid = inhrelid
 where inhdetachpending and c.relnamespace = 'headrace'::regnamespace
 order by 1

-- name: queue_bloat
select n_dead_tup, n_live_tup, pg_total_relation_size(relid),
       extract(epoch from now() - greatest(last_vacuum, last_autovacuum))::float8
  from pg_stat_user_tables where schemaname = 'headrace' and relname = 'queue'

-- A slot has no time: how long it has been behind is not known, only that it is.
-- name: holders
select format('process %s of %s (%s)', pid, usename, coalesce(nullif(application_name, ''), 'no name')) as what,
       extract(epoch from clock_timestamp() - xact_start)::float8 as seconds,
       format('end it: SELECT pg_terminate_backend(%s)', pid) as way_out
  from pg_stat_activity
 where xact_start is not null and backend_type = 'client backend' and pid <> pg_backend_pid()
union all
select format('prepared transaction %s', gid), extract(epoch from clock_timestamp() - prepared)::float8,
       format('commit it or ROLLBACK PREPARED %L', gid)
  from pg_prepared_xacts
 order by seconds desc

-- name: database_size
select pg_database_size(current_database())
