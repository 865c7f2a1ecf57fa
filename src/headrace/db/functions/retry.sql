-- True when an ended job waits to run again, with its attempts counted anew; false when it has not ended.
-- A job that a person retries stands for its due time again.
create or replace function headrace.retry(job_id uuid) returns boolean language plpgsql as $$
declare
  record headrace.job;
  ended headrace.attempt;
  def headrace.definition;
  holder uuid;
begin
  if headrace._by_integrator() then
    return headrace._own_retry(retry.job_id);
  end if;
  record := headrace._job_or_error(retry.job_id);
  -- The lock makes a second retry wait, and then find no final left. Only the final attempt is ever updated.
  select * into ended from headrace.attempt as a where a.job_id = record.id and a.final is not null for update;
  if ended.job_id is null then
    return false;
  elsif ended.replaced_by is not null then
    raise exception 'job "%" cannot be retried: job "%" replaced it', record.id, ended.replaced_by
      using errcode = 'HR409', detail = ended.replaced_by::text, hint = 'Retry that job instead.';
  end if;
  def := headrace._runnable((select key from headrace.definition where id = record.definition_id), record.tenant_id, known => true);
  update headrace.attempt as a set final = null where a.job_id = record.id and a.run = ended.run;
  holder := (headrace._insert_jobs(def, array[record.id], record.tenant_id, record.lane_id, array[record.payload], record.priority,
    record.max_attempts, dedupe_keys => case when record.dedupe_key is not null then array[record.dedupe_key] end,
    waiting_only => record.dedupe_waiting, runs => array[ended.run],
    overlap_ids => array[(select t.id from headrace.trigger as t where t.id = record.source_ref and t.overlap <> 'allow')]))[1];
  if holder <> record.id then
    raise exception 'job "%" cannot be retried: job "%" holds its dedupe key "%"', record.id, holder, record.dedupe_key
      using errcode = 'HR409', detail = holder::text, hint = 'Wait for that job to end, or cancel it.';
  end if;
  return true;
end $$;

-- Closes a job that failed in favour of another; false when it has not ended. One that succeeded or was canceled stays
-- as it is: no bulk retry runs it again. The lock is that of a retry: the second of two callers sees what the first did.
create or replace function headrace._replace(job_id uuid, new_job_id uuid) returns boolean language plpgsql as $$
declare
  ended headrace.attempt;
begin
  select * into ended from headrace.attempt as a where a.job_id = _replace.job_id and a.final is not null for update;
  if ended.job_id is null then
    return false;
  elsif ended.replaced_by is not null then
    raise exception 'job "%" cannot be retried: job "%" replaced it', ended.job_id, ended.replaced_by
      using errcode = 'HR409', detail = ended.replaced_by::text, hint = 'Retry that job instead.';
  end if;
  update headrace.attempt as a set final = 'canceled', replaced_by = _replace.new_job_id
   where a.job_id = ended.job_id and a.run = ended.run and ended.final in ('failed', 'dead_letter');
  return true;
end $$;

-- A person's retry is the only update of an attempt, and the only way for a job of an old week to be live again. The share
-- lock makes it and the mark "leaving" wait for each other: the second sees what the first has done.
create or replace function headrace._refuse_leaving() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from headrace.partition
    where headrace._first_id(lower_bound) <= new.job_id and new.job_id < headrace._first_id(upper_bound) and not leaving
      for share;
  if not found then
    raise exception 'unknown job "%"', new.job_id using errcode = 'HR404', hint = 'The job is being removed by retention.';
  end if;
  return new;
end $$;
-- On a table of its own, with types of its own, a stranger would have the owner run its casts. A trigger that is there fires all the same.
revoke all on function headrace._refuse_leaving from public;
