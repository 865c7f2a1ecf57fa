-- Workers keep the lanes they may claim from in memory. A change of a lane or of a definition has them read these again.
create or replace function headrace._tell_lanes_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('headrace', 'lanes');
  return null;
end $$;

-- A worker about to sleep arms itself; only then is a notification worth its price, for NOTIFY serialises
-- commits across the server. Armed workers are only read: an update would make enqueues wait for one another.
create or replace function headrace._wake_workers() returns void language plpgsql as $$
begin
  if exists (select from headrace.worker where armed and state = 'live' and lease_expires_at > now())
     and current_setting('headrace.wake', true) is distinct from 'off' then
    perform pg_notify('headrace', 'work');
  end if;
end $$;

-- Notifies the sessions that wait for a job's end, and no others.
create or replace function headrace._tell_waiters(job uuid) returns void language sql as $$
  select pg_notify('headrace_ended', job::text) where exists (select from headrace.waiter where job_id = job)
$$;
