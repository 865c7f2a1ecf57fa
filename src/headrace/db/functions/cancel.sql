-- What a person may do to a job, in the caller's own transaction.

create or replace function headrace._job_or_error(wanted uuid) returns headrace.job language plpgsql stable as $$
declare record headrace.job;
begin
  select * into record from headrace.job where id = wanted;
  if record.id is null then
    raise exception 'unknown job "%"', wanted using errcode = 'HR404';
  end if;
  return record;
end $$;

-- True when the job is canceled or, while it runs, was asked to stop; false when it had already ended.
-- A waiting job takes the next run, without a worker, so that cancel, retry, cancel never collide.
create or replace function headrace.cancel(job_id uuid) returns boolean language plpgsql as $$
declare
  live headrace.queue;
  ended_at timestamptz;
begin
  if headrace._by_integrator() then
    return headrace._own_cancel(cancel.job_id);
  end if;
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
