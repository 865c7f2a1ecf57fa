-- True when it was changed; false when it is not in a state for that. Without an error, so that a batch goes on.
create or replace function headrace._change_one(action text, wanted uuid) returns boolean language plpgsql as $$
begin
  case action
    when 'cancel' then return headrace.cancel(wanted);
    when 'retry' then return headrace.retry(wanted);
    when 'delete' then return headrace._delete_job(wanted);
  end case;
exception when sqlstate 'HR400' or sqlstate 'HR404' or sqlstate 'HR409' then
  return false;
end $$;

-- True when there was a job that has ended and there is no more: neither its record nor its attempts, lines and keys.
create or replace function headrace._delete_job(wanted uuid) returns boolean language plpgsql as $$
begin
  -- A retry locks the same row first: the second of the two finds nothing.
  perform from headrace.attempt where job_id = wanted and final is not null for update;
  if not found then
    return false;
  end if;
  delete from headrace.attempt where job_id = wanted;
  delete from headrace.idempotency using headrace.job
   where job.id = wanted and idempotency.tenant_id = job.tenant_id and idempotency.key = job.idempotency_key
     and idempotency.job_id = wanted;
  delete from headrace.job where id = wanted;
  delete from headrace.progress where job_id = wanted;
  delete from headrace.log where job_id = wanted;
  return true;
end $$;
