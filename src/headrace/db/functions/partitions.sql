-- Weekly partitions of job and attempt, with the same bounds, made ahead of time. A week is 168 hours and not
-- "7 days", which a session's time zone would stretch over a change of clocks.

-- Made as tables of their own and then attached: CREATE … PARTITION OF would wait for every open enqueue, and
-- every later enqueue would wait behind it. A stretch in which the system was off is one partition.
create or replace function headrace._create_partition(lower_bound timestamptz, upper_bound timestamptz) returns void
language plpgsql as $$
declare
  suffix text := to_char(lower_bound at time zone 'UTC', 'YYYYMMDD');
  parent text;
  child text;
begin
  foreach parent in array array['job', 'attempt'] loop
    child := parent || '_' || suffix;
    execute format('create table headrace.%I (like headrace.%I including all)', child, parent);
    execute format('alter table headrace.%I attach partition headrace.%I for values from (%L) to (%L)',
                   parent, child, headrace._first_id(lower_bound), headrace._first_id(upper_bound));
  end loop;
  insert into headrace.partition values (lower_bound, upper_bound, suffix);
end $$;

-- Makes the partitions that are missing, up to weeks_ahead whole weeks beyond this one; gives back how many it made.
create or replace function headrace._create_partitions(weeks_ahead int default 4) returns int language plpgsql as $$
declare
  this_week timestamptz := date_trunc('week', now() at time zone 'UTC') at time zone 'UTC';
  next_bound timestamptz;
  made int := 0;
begin
  -- Two processes may come here at once: the second waits and then finds nothing to do.
  lock table headrace.partition in share update exclusive mode;
  select coalesce(max(upper_bound), this_week) into next_bound from headrace.partition;
  if next_bound < this_week then
    perform headrace._create_partition(next_bound, this_week);
    next_bound := this_week;
    made := made + 1;
  end if;
  while next_bound < this_week + (weeks_ahead + 1) * interval '168 hours' loop
    perform headrace._create_partition(next_bound, next_bound + interval '168 hours');
    next_bound := next_bound + interval '168 hours';
    made := made + 1;
  end loop;
  return made;
end $$;

-- Made as a table of its own and then attached, as for jobs, so that no writer waits.
create or replace function headrace._create_log_partition(lower_bound timestamptz, upper_bound timestamptz) returns void
language plpgsql as $$
declare
  suffix text := to_char(lower_bound at time zone 'UTC', 'YYYYMMDD');
begin
  execute format('create table headrace.%I (like headrace.log including all)', 'log_' || suffix);
  execute format('alter table headrace.log attach partition headrace.%I for values from (%L) to (%L)',
                 'log_' || suffix, lower_bound, upper_bound);
  insert into headrace.log_partition values (lower_bound, upper_bound, suffix);
end $$;

-- Makes the partitions that are missing: days whose table is gone though they are on record, today, and days_ahead whole days
-- beyond it; gives back how many it made. By day and not from the last one on, so that a gap is filled as well.
create or replace function headrace._create_log_partitions(days_ahead int default 3) returns int language plpgsql as $$
declare
  today timestamptz := date_trunc('day', now() at time zone 'UTC') at time zone 'UTC';
  last_bound timestamptz;
  day timestamptz;
  gone record;
  made int := 0;
begin
  lock table headrace.log_partition in share update exclusive mode;
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

-- The verbs of upkeep for processes that do not own the tables. Fixed, and without a name that the caller could choose.
create or replace function headrace._make_partitions() returns int
language sql security definer set search_path = pg_catalog, pg_temp as $$ select headrace._create_partitions() $$;

create or replace function headrace._make_log_partitions() returns int
language sql security definer set search_path = pg_catalog, pg_temp as $$ select headrace._create_log_partitions() $$;

-- A function cannot detach a partition concurrently, as the owner does. A drop stops enqueues while it waits, so it waits briefly,
-- and is tried again an hour later. Only what is over and marked as leaving goes.
create or replace function headrace._drop_leaving_week(week text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
declare gone headrace.partition;
begin
  select * into gone from headrace.partition as p where p.suffix = week and p.leaving and p.upper_bound <= now();
  if gone.suffix is null or exists (select from headrace.queue where job_id >= headrace._first_id(gone.lower_bound)
                                                                 and job_id < headrace._first_id(gone.upper_bound)) then
    raise exception 'the week "%" is not leaving', left(week, 50) using errcode = 'HR409';
  end if;
  execute format('drop table if exists headrace.%I, headrace.%I', 'attempt_' || gone.suffix, 'job_' || gone.suffix);
  delete from headrace.partition where suffix = gone.suffix;
end $$;

create or replace function headrace._drop_leaving_day(day text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
declare gone headrace.log_partition;
begin
  select * into gone from headrace.log_partition as p where p.suffix = day and p.leaving and p.upper_bound <= now();
  if gone.suffix is null then
    raise exception 'the day "%" is not leaving', left(day, 50) using errcode = 'HR409';
  end if;
  execute format('drop table if exists headrace.%I', 'log_' || gone.suffix);
  delete from headrace.log_partition where suffix = gone.suffix;
end $$;
revoke all on function headrace._make_partitions, headrace._make_log_partitions, headrace._drop_leaving_week, headrace._drop_leaving_day
  from public;
