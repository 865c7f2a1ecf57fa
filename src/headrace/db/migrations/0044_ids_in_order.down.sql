create or replace function headrace._job_ids(n int) returns uuid[] language plpgsql volatile as $$
declare
  random constant text := replace(gen_random_uuid()::text, '-', '');
  at timestamptz;
  prefix text;
begin
  select least(greatest(clock_timestamp(), min(lower_bound)), max(upper_bound) - interval '1 millisecond')
    into at from headrace.partition;
  prefix := lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(random, 14, 13);
  if n = 1 then
    return array[(prefix || substr(random, 27))::uuid];
  end if;
  return array(select (prefix || lpad(to_hex(ordinal), 6, '0'))::uuid from generate_series(1, n) as ordinal);
end $$;
