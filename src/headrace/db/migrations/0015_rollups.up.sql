-- Counts for screens and metrics, so that nobody counts history. What happens is noted as deltas by the statements that
-- make it happen, in the same transaction, and folded into rollups a moment later: no row that everybody writes to.

-- The upper bounds of the histograms, in seconds, and nowhere else. Bucket 0 lies below the first, bucket n above the n-th;
-- in an array of counts bucket 0 comes first, and what is not there is 0.
create function headrace.histogram_bounds() returns float8[] language sql immutable parallel safe as $$
  select '{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 14400}'::float8[]
$$;

-- Counts for one bucket each as an array of buckets, which ends with the last that has a count: most are short.
create function headrace._as_buckets(buckets smallint[], counts bigint[]) returns bigint[] language sql immutable parallel safe as $$
  select coalesce(array_agg(coalesce(n, 0) order by bucket), '{}')
    from generate_series(0, (select max(given) from unnest(buckets) as given)) as bucket
    left join (select given, sum(count)::bigint as n from unnest(buckets, counts) as pairs (given, count) group by given) as found
      on given = bucket
$$;

-- A loop, for an aggregate over SQL functions takes ten times as long.
create function headrace._add_buckets(one bigint[], other anyarray) returns bigint[] language plpgsql immutable strict parallel safe as $$
begin
  for bucket in 1 .. cardinality(other) loop
    one[bucket] := coalesce(one[bucket], 0) + other[bucket];
  end loop;
  return one;
end $$;
create aggregate headrace.sum_buckets(anyarray) (sfunc = headrace._add_buckets, stype = bigint[], initcond = '{}', parallel = safe);

-- Written and soon deleted, never updated; without an index, for it is always read whole.
--   outcome        how runs ended; null: jobs came into the queue
--   again          came back by a person's retry
--   final          the status in which the jobs ended, if they did
--   latency        from queued to started, of runs that a worker had
--   duration       from started to finished
create table headrace.rollup_delta (
  at                timestamptz not null,
  tenant_id         int not null,
  lane_id           int not null,
  n                 int not null,
  outcome           headrace.attempt_outcome,
  final             headrace.job_status,
  latency_bucket    smallint,
  duration_bucket   smallint,
  again             boolean not null default false,
  latency_seconds   float8,
  duration_seconds  float8
) with (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 1000000);

-- What happened in a minute, not what is: a job that a person retries and that ends again has ended twice.
--   enqueued, requeued                        jobs that came in, by a person's retry
--   succeeded, failed, canceled, dead_letter  jobs that ended so
--   runs                                      attempts that a worker had and that ended; each has its latency, and its
--                                             duration unless it was released, lost, snoozed or canceled
--   retried                                   … after which the job waits again, with an attempt spent
--   timed_out, lost, snoozed, released        … with this outcome, whether the job ended or not
--   depth                                     the most jobs that were seen waiting (queued) at one time
create table headrace.rollup (
  minute            timestamptz not null,
  tenant_id         int not null,
  definition_id     int not null,
  enqueued          int not null default 0,
  requeued          int not null default 0,
  succeeded         int not null default 0,
  failed            int not null default 0,
  canceled          int not null default 0,
  dead_letter       int not null default 0,
  runs              int not null default 0,
  retried           int not null default 0,
  timed_out         int not null default 0,
  lost              int not null default 0,
  snoozed           int not null default 0,
  released          int not null default 0,
  depth             int not null default 0,
  latency_sum       float8 not null default 0,
  duration_sum      float8 not null default 0,
  latency_buckets   int[] not null default '{}',
  duration_buckets  int[] not null default '{}',
  primary key (minute, tenant_id, definition_id)
) with (fillfactor = 70);
create index rollup_tenant on headrace.rollup (tenant_id, minute);
create index rollup_definition on headrace.rollup (definition_id, minute);

-- The same for hours, for whoever looks at days: sixty times fewer rows.
create table headrace.rollup_hour (like headrace.rollup including defaults) with (fillfactor = 70);
alter table headrace.rollup_hour rename column minute to hour;
alter table headrace.rollup_hour add primary key (hour, tenant_id, definition_id);
create index rollup_hour_tenant on headrace.rollup_hour (tenant_id, hour);
create index rollup_hour_definition on headrace.rollup_hour (definition_id, hour);

-- And since the beginning, for counters that must never go down.
create table headrace.rollup_total (
  tenant_id         int not null,
  definition_id     int not null,
  enqueued          bigint not null default 0,
  requeued          bigint not null default 0,
  succeeded         bigint not null default 0,
  failed            bigint not null default 0,
  canceled          bigint not null default 0,
  dead_letter       bigint not null default 0,
  runs              bigint not null default 0,
  retried           bigint not null default 0,
  timed_out         bigint not null default 0,
  lost              bigint not null default 0,
  snoozed           bigint not null default 0,
  released          bigint not null default 0,
  latency_sum       float8 not null default 0,
  duration_sum      float8 not null default 0,
  latency_buckets   bigint[] not null default '{}',
  duration_buckets  bigint[] not null default '{}',
  primary key (tenant_id, definition_id)
) with (fillfactor = 50);

-- How many jobs there were when somebody last looked: counting a million takes its time, so it is not done for each reader.
create table headrace.queue_sample (
  tenant_id         int not null,
  lane_id           int not null,
  status            headrace.job_status not null,
  jobs              bigint not null,
  oldest_queued_at  timestamptz,
  primary key (tenant_id, lane_id, status)
) with (fillfactor = 50);

-- One row. Its lock says whose turn it is to fold or to sample, what the last turn took when the next one is due.
create table headrace.rollup_turn (
  id           boolean primary key default true check (id),
  folded_at    timestamptz not null default 'epoch',
  fold_took    interval not null default '0',
  sampled_at   timestamptz not null default 'epoch',
  sample_took  interval not null default '0'
) with (fillfactor = 50);
insert into headrace.rollup_turn default values;

-- Seconds until there is something to fold and to sample; null: nothing. Neither takes more than a fiftieth of the time.
-- Whatever changes the queue leaves a delta sooner or later, so while none comes the last sample is good for longer, and
-- an empty one for ever: an idle system asks nothing.
create function headrace._rollups_due(out fold_in float8, out sample_in float8) language sql stable as $$
  select case when exists (select from headrace.rollup_delta)
              then date_part('epoch', folded_at + greatest(interval '2 seconds', 50 * fold_took) - clock_timestamp()) end,
         case when folded_at > sampled_at
              then date_part('epoch', sampled_at + greatest(interval '5 seconds', 50 * sample_took) - clock_timestamp())
              when exists (select from headrace.queue_sample)
              then date_part('epoch', sampled_at + greatest(interval '15 seconds', 50 * sample_took) - clock_timestamp()) end
    from headrace.rollup_turn
$$;

-- Whoever inserts into the queue, by whatever means, is counted.
create function headrace._count_enqueued() returns trigger language plpgsql as $$
begin
  insert into headrace.rollup_delta (at, tenant_id, lane_id, n, again)
  select now(), tenant_id, lane_id, count(*), run > 0 from new_rows group by tenant_id, lane_id, run > 0;
  return null;
end $$;
create trigger count_enqueued after insert on headrace.queue
  referencing new table as new_rows for each statement execute function headrace._count_enqueued();

-- As before, and counted.
create or replace function headrace.cancel(job_id uuid) returns boolean language plpgsql as $$
declare
  live headrace.queue;
  ended_at timestamptz;
begin
  perform headrace._job_or_error(cancel.job_id);
  select * into live from headrace.queue as q where q.job_id = cancel.job_id for update;
  if live.job_id is null then
    return false;
  elsif live.status = 'running' then
    update headrace.queue as q set cancel_requested = true where q.job_id = live.job_id and not cancel_requested;
    perform pg_notify('headrace', 'cancel ' || live.worker_id);
  else
    ended_at := clock_timestamp();
    delete from headrace.queue as q where q.job_id = live.job_id;
    insert into headrace.attempt (job_id, run, tenant_id, lane_id, outcome, final, spent, queued_at, finished_at)
    values (live.job_id, live.run + 1, live.tenant_id, live.lane_id, 'canceled', 'canceled', live.spent, live.queued_at, ended_at);
    insert into headrace.rollup_delta (at, tenant_id, lane_id, n, outcome, final)
    values (ended_at, live.tenant_id, live.lane_id, 1, 'canceled', 'canceled');
    perform headrace._tell_waiters(live.job_id);
  end if;
  return true;
end $$;
