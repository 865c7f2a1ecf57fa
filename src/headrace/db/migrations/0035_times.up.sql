-- Times that Python has no year for break whoever reads them, so a job is due between the years 1900 and 9000, as triggers are.

-- A time as it is read: beyond those years as their nearer end. For rows from before the tables refused them.
create function headrace._within_reach(at timestamptz) returns timestamptz language sql immutable parallel safe as $$
  select case when at > '9000-01-01Z' then '9000-01-01Z' when at < '1900-01-01Z' then '1900-01-01Z' else at end
$$;

update headrace.queue set run_at = headrace._within_reach(run_at) where run_at not between '1900-01-01Z' and '9000-01-01Z';
alter table headrace.queue add constraint due_between_1900_and_9000 check (run_at between '1900-01-01Z' and '9000-01-01Z');
-- History stays as it was said; only what comes is held to it.
alter table headrace.job
  add constraint due_between_1900_and_9000 check (scheduled_for between '1900-01-01Z' and '9000-01-01Z') not valid;
