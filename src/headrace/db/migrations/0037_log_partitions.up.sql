-- Makes what is missing: days whose table is gone though they are on record, today, and so many whole days beyond it; gives
-- back how many it made. By day and not from the last one on, so that a gap is filled as well.
create or replace function headrace._create_log_partitions(days_ahead int default 3) returns int language plpgsql as $$
declare
  today timestamptz := date_trunc('day', now() at time zone 'UTC') at time zone 'UTC';
  last_bound timestamptz;
  day timestamptz;
  gone record;
  made int := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('headrace.log_partitions', 0));
  for gone in
    delete from headrace.log_partition
     where not leaving and to_regclass(format('headrace.%I', 'log_' || suffix)) is null
    returning lower_bound, upper_bound
  loop
    perform headrace._create_log_partition(gone.lower_bound, gone.upper_bound);
    made := made + 1;
  end loop;
  select max(upper_bound) into last_bound from headrace.log_partition;
  if last_bound < today then
    perform headrace._create_log_partition(last_bound, today);
    made := made + 1;
  end if;
  for day in
    select generate_series(today, today + days_ahead * interval '24 hours', interval '24 hours')
  loop
    if not exists (select from headrace.log_partition where lower_bound <= day and upper_bound > day) then
      perform headrace._create_log_partition(day, least(day + interval '24 hours', (
        select min(lower_bound) from headrace.log_partition where lower_bound > day)));
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;
