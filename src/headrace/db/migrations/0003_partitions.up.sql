-- Weekly partitions of job and attempt, with the same bounds, made ahead of time. A week is 168 hours and not
-- "7 days", which a session's time zone would stretch over a change of clocks.

create table headrace.partition (
  lower_bound  timestamptz primary key,
  upper_bound  timestamptz not null unique,
  suffix       text not null unique,
  check (lower_bound < upper_bound)
);

create function headrace._first_id(at timestamptz) returns uuid language sql immutable strict as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Made as tables of their own and then attached: CREATE … PARTITION OF would wait for every open enqueue, and
-- every later enqueue would wait behind it. A stretch that nobody served (the system was off) is one partition.
create function headrace._create_partition(lower_bound timestamptz, upper_bound timestamptz) returns void
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

-- Makes what is missing up to so many whole weeks beyond this one; gives back how many it made.
create function headrace._create_partitions(weeks_ahead int default 4) returns int language plpgsql as $$
declare
  this_week timestamptz := date_trunc('week', now() at time zone 'UTC') at time zone 'UTC';
  next_bound timestamptz;
  made int := 0;
begin
  -- Two processes may come here at once: the second waits and then finds nothing to do.
  perform pg_advisory_xact_lock(hashtextextended('headrace.partitions', 0));
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

select headrace._create_partitions();
