-- name: create_log_partitions
select headrace._make_log_partitions()

-- First nobody writes to it or searches it any more. Today's and the last one always stay.
-- name: mark_leaving
update headrace.log_partition set leaving = true
 where upper_bound <= least(now() - $1::interval, now()) and not leaving
   and upper_bound < (select max(upper_bound) from headrace.log_partition)

-- What is to be done next with each: a plain DETACH would stop all writers, and one that was interrupted must be finalized.
-- name: list_leaving
select suffix,
       case when inhrelid is not null
            then format('alter table headrace.log detach partition headrace.%I %s', 'log_' || suffix,
                        case when inhdetachpending then 'finalize' else 'concurrently' end) end as detach,
       format('drop table if exists headrace.%I', 'log_' || suffix) as remove
  from headrace.log_partition
  left join pg_catalog.pg_inherits on inhrelid = to_regclass(format('headrace.%I', 'log_' || suffix))
 where leaving
 order by lower_bound

-- name: drop_day
select headrace._drop_leaving_day($1)

-- name: forget_partition
delete from headrace.log_partition where suffix = $1
