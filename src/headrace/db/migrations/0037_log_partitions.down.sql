create or replace function headrace._create_log_partitions(days_ahead int default 3) returns int language plpgsql as $$
declare
  today timestamptz := date_trunc('day', now() at time zone 'UTC') at time zone 'UTC';
  next_bound timestamptz;
  made int := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('headrace.log_partitions', 0));
  select coalesce(max(upper_bound), today) into next_bound from headrace.log_partition;
  if next_bound < today then
    perform headrace._create_log_partition(next_bound, today);
    next_bound := today;
    made := made + 1;
  end if;
  while next_bound < today + (days_ahead + 1) * interval '24 hours' loop
    perform headrace._create_log_partition(next_bound, next_bound + interval '24 hours');
    next_bound := next_bound + interval '24 hours';
    made := made + 1;
  end loop;
  return made;
end $$;
