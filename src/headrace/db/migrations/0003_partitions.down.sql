drop function headrace._create_partitions(int);
drop function headrace._create_partition(timestamptz, timestamptz);
drop function headrace._first_id(timestamptz);
do $$
declare name text;
begin
  for name in select 'job_' || suffix from headrace.partition union all select 'attempt_' || suffix from headrace.partition loop
    execute format('drop table headrace.%I', name);
  end loop;
end $$;
drop table headrace.partition;
