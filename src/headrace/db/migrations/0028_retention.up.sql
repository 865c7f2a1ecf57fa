-- How long history is kept, and how a week of it goes.

-- A job that has ended stays for so many days, or while it is among the last so many of its definition. Null: as the
-- configuration says, and no last ones.
alter table headrace.definition
  add column retention_days double precision check (retention_days between 0 and 3650),
  add column retention_count int check (retention_count between 1 and 1000000);

-- "leaving": nothing in it must stay, and it may be gone any moment.
alter table headrace.partition add column leaving boolean not null default false;

-- Keys go with their jobs. Ids come in order, so an insert finds its place in the page that is at hand.
create index idempotency_job on headrace.idempotency (job_id);

-- A person's retry is the only update of an attempt, and the only way for a job of an old week to be live again. The share
-- lock makes it and the mark "leaving" wait for each other: whoever comes second sees what the first has done.
create function headrace._refuse_leaving() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from headrace.partition
    where headrace._first_id(lower_bound) <= new.job_id and new.job_id < headrace._first_id(upper_bound) and not leaving
      for share;
  if not found then
    raise exception 'unknown job "%"', new.job_id using errcode = 'HR404', hint = 'Its time has run out, and it is being removed.';
  end if;
  return new;
end $$;
create trigger refuse_leaving before update of final on headrace.attempt
  for each row when (old.final is not null and new.final is null) execute function headrace._refuse_leaving();
