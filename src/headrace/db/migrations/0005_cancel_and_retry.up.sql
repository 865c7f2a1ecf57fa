-- What a person may do to a job, in the caller's own transaction.

create function headrace._job_or_error(wanted uuid) returns headrace.job language plpgsql stable as $$
declare record headrace.job;
begin
  select * into record from headrace.job where id = wanted;
  if record.id is null then
    raise exception 'unknown job "%"', wanted using errcode = 'HR404';
  end if;
  return record;
end $$;

-- Tells those who wait for a job's end, and only those.
create function headrace._tell_waiters(job uuid) returns void language sql as $$
  select pg_notify('headrace_ended', job::text) where exists (select from headrace.waiter where job_id = job)
$$;

-- True when the job is canceled or, while it runs, was told to stop; false when it had already ended.
-- A waiting job takes the next run, without a worker, so that cancel, retry, cancel never collide.
create function headrace.cancel(job_id uuid) returns boolean language plpgsql as $$
declare
  live headrace.queue;
begin
  perform headrace._job_or_error(cancel.job_id);
  select * into live from headrace.queue as q where q.job_id = cancel.job_id for update;
  if live.job_id is null then
    return false;
  elsif live.status = 'running' then
    update headrace.queue as q set cancel_requested = true where q.job_id = live.job_id and not cancel_requested;
    perform pg_notify('headrace', 'cancel ' || live.worker_id);
  else
    delete from headrace.queue as q where q.job_id = live.job_id;
    insert into headrace.attempt (job_id, run, tenant_id, lane_id, outcome, final, spent, queued_at, finished_at)
    values (live.job_id, live.run + 1, live.tenant_id, live.lane_id, 'canceled', 'canceled', live.spent,
            live.queued_at, clock_timestamp());
    perform headrace._tell_waiters(live.job_id);
  end if;
  return true;
end $$;

-- True when an ended job waits to run again, with its attempts counted anew; false when it has not ended.
create function headrace.retry(job_id uuid) returns boolean language plpgsql as $$
declare
  record headrace.job := headrace._job_or_error(retry.job_id);
  ended headrace.attempt;
  holder uuid;
begin
  -- The lock makes a second retry wait, and then find no final left. Only the final attempt is ever updated.
  select * into ended from headrace.attempt as a where a.job_id = record.id and a.final is not null for update;
  if ended.job_id is null then
    return false;
  end if;
  perform headrace._runnable((select key from headrace.definition where id = record.definition_id));
  update headrace.attempt as a set final = null where a.job_id = record.id and a.run = ended.run;
  loop
    insert into headrace.queue (job_id, tenant_id, lane_id, status, queued_at, priority, max_attempts, run, dedupe_key, dedupe_waiting)
    values (record.id, record.tenant_id, record.lane_id, 'queued', now(), record.priority, record.max_attempts, ended.run,
            record.dedupe_key, record.dedupe_waiting)
    on conflict (tenant_id, dedupe_key) where dedupe_key is not null do nothing;
    exit when found;
    select q.job_id into holder from headrace.queue as q
     where q.tenant_id = record.tenant_id and q.dedupe_key = record.dedupe_key;
    -- If the holder ended between the two statements, the key is free and we try again.
    continue when holder is null;
    raise exception 'job "%" cannot be retried: job "%" holds its dedupe key "%"', record.id, holder, record.dedupe_key
      using errcode = 'HR409', detail = holder::text, hint = 'Wait for that job to end, or cancel it.';
  end loop;
  perform headrace._wake_workers();
  return true;
end $$;
