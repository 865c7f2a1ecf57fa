-- Ids of one session are in the order in which they were made, also within one millisecond.

-- Ids made here and nowhere else: UUIDv7 whose twelve bits after the milliseconds are the fraction of one (RFC 9562,
-- 6.2, method 3), clamped into the partitions there are, so that an enqueue never fails for want of one. In bulk one
-- random base and the ordinal: ordered, and five times cheaper.
create or replace function headrace._job_ids(n int) returns uuid[] language plpgsql volatile as $$
declare
  random constant text := replace(gen_random_uuid()::text, '-', '');
  at timestamptz;
  microseconds bigint;
  prefix text;
begin
  select least(greatest(clock_timestamp(), min(lower_bound)), max(upper_bound) - interval '1 millisecond')
    into at from headrace.partition;
  microseconds := (extract(epoch from at) * 1000000)::bigint;
  prefix := lpad(to_hex(microseconds / 1000), 12, '0') || '7'
    || lpad(to_hex(microseconds % 1000 * 4096 / 1000), 3, '0') || substr(random, 17, 10);
  if n = 1 then
    return array[(prefix || substr(random, 27))::uuid];
  end if;
  return array(select (prefix || lpad(to_hex(ordinal), 6, '0'))::uuid from generate_series(1, n) as ordinal);
end $$;
