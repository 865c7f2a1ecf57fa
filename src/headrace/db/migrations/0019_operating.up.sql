-- What operators do to workers and queues, and how a live view finds what has just ended.

-- Asked to finish what it runs, claim no more and stop. A worker hears it with its next heartbeat.
alter table headrace.worker add column draining boolean not null default false;

-- A queue that stands still, also for definitions that come to it later; by itself until "resume_at", if that is set.
-- Asked when a worker reads its lanes, never by a claim.
create table headrace.queue_pause (
  queue      text primary key check (queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  note       text not null default '',
  paused_at  timestamptz not null default now(),
  paused_by  text not null,
  resume_at  timestamptz
);
create trigger tell_workers after insert or update or delete on headrace.queue_pause
  for each statement execute function headrace._tell_lanes_changed();

-- Tenants may know why their jobs wait.
do $$
begin
  if exists (select from pg_roles where rolname = 'headrace_tenant') then
    grant select on headrace.queue_pause to headrace_tenant;
  end if;
exception when insufficient_privilege then
  raise notice 'the role headrace_tenant could not be given its rights';
end $$;

-- What has ended lately, whatever its id. Runs are written in the order in which they end, so a range of pages is a range of
-- times: the index has an entry for each 32 pages, and an insert into the last of them finds nothing to do.
create index attempt_finished on headrace.attempt using brin (finished_at) with (pages_per_range = 32, autosummarize = on);
