-- Counts for one bucket each as an array of buckets, which ends with the last that has a count: most are short.
create or replace function headrace._as_buckets(buckets smallint[], counts bigint[]) returns bigint[] language sql immutable parallel safe as $$
  select coalesce(array_agg(coalesce(n, 0) order by bucket), '{}')
    from generate_series(0, (select max(given) from unnest(buckets) as given)) as bucket
    left join (select given, sum(count)::bigint as n from unnest(buckets, counts) as pairs (given, count) group by given) as found
      on given = bucket
$$;

-- Seconds until there is something to fold and to sample; null: nothing. Neither takes more than a fiftieth of the time.
-- Whatever changes the queue leaves a delta sooner or later, so while none comes the last sample is good for longer, and
-- an empty one for ever: an idle system asks nothing.
create or replace function headrace._rollups_due(out fold_in float8, out sample_in float8) language sql stable as $$
  select case when exists (select from headrace.rollup_delta)
              then date_part('epoch', folded_at + greatest(interval '2 seconds', 50 * fold_took) - clock_timestamp()) end,
         case when folded_at > sampled_at
              then date_part('epoch', sampled_at + greatest(interval '5 seconds', 50 * sample_took) - clock_timestamp())
              when exists (select from headrace.queue_sample)
              then date_part('epoch', sampled_at + greatest(interval '15 seconds', 50 * sample_took) - clock_timestamp()) end
    from headrace.rollup_turn
$$;

-- Counts every insert into the queue, also one by hand.
create or replace function headrace._count_enqueued() returns trigger language plpgsql as $$
begin
  insert into headrace.rollup_delta (at, tenant_id, lane_id, n, again)
  select now(), tenant_id, lane_id, count(*), run > 0 from new_rows group by tenant_id, lane_id, run > 0;
  return null;
end $$;
