-- A time as it is read: beyond those years as their nearer end. For rows from before the tables refused them.
create or replace function headrace._within_reach(at timestamptz) returns timestamptz language sql immutable parallel safe as $$
  select case when at > '9000-01-01Z' then '9000-01-01Z' when at < '1900-01-01Z' then '1900-01-01Z' else at end
$$;
