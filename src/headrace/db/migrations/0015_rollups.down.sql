create or replace function headrace.cancel(job_id uuid) returns boolean language plpgsql as $$
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

drop trigger count_enqueued on headrace.queue;
drop function headrace._count_enqueued;
drop function headrace._rollups_due;
drop table headrace.rollup_turn;
drop table headrace.queue_sample;
drop table headrace.rollup_total;
drop table headrace.rollup_hour;
drop table headrace.rollup;
drop table headrace.rollup_delta;
drop aggregate headrace.sum_buckets(anyarray);
drop function headrace._add_buckets;
drop function headrace._as_buckets;
drop function headrace.histogram_bounds;
