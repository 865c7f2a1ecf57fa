-- Null: there is no such table.
-- name: list_columns
select (select array_agg(attname::text) from pg_catalog.pg_attribute
         where attrelid = pg_class.oid and attnum > 0 and not attisdropped)
  from pg_catalog.pg_class join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace
 where nspname = $1 and relname = $2 and relkind in ('r', 'p')

-- The condition stands twice: a row may have been given more time meanwhile, and in a partitioned table several rows have
-- the same place.
-- name: write_delete
select format(
  'with gone as (
     delete from %1$I.%2$I
      where ctid = any(array(select ctid from %1$I.%2$I where %3$I < now() - $1::interval limit $2 for update skip locked))
        and %3$I < now() - $1::interval
     returning 1)
   select count(*) from gone', $1::text, $2::text, $3::text)

-- name: delete_expired
select headrace._delete_expired($1, $2, $3)
