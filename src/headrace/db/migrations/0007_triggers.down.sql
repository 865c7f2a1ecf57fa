drop trigger note_change on headrace.trigger;
drop trigger note_due_time on headrace.trigger;
drop trigger note_creation on headrace.trigger;
drop trigger note_deletion on headrace.trigger;
drop function headrace._trigger_changed;
drop function headrace._due_time_set;
drop function headrace._trigger_created;
drop function headrace._trigger_deleted;
alter table headrace.queue drop column overlap_id;
drop table headrace.dedupe;
drop table headrace.fired_once;
drop table headrace.fire;
drop table headrace.deleted_trigger;
drop table headrace.trigger;

-- True when an ended job waits to run again, with its attempts counted anew; false when it has not ended.
create or replace function headrace.retry(job_id uuid) returns boolean language plpgsql as $$
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
