-- What is scheduled for 'infinity' is never due, and PostgreSQL 15 cannot subtract from it.
-- A due time that waits for a job to end is looked at each second; a trigger without a due time wants one at once.
-- name: look_ahead
select extract(epoch from (
         select min(run_at) from headrace.queue where status = 'scheduled' and isfinite(run_at)) - clock_timestamp())::float8,
       least(
         extract(epoch from (
           select min(fire_at) from headrace.trigger where enabled and fire_at < 'infinity') - clock_timestamp())::float8,
         case when exists (select from headrace.trigger where enabled and next_run_at is null and trigger_type <> 'event')
              then 0.0 end,
         (select min(case when exists (select from headrace.queue where queue.overlap_id = t.id) then 1.0 else 0.0 end)
            from headrace.trigger as t where pending_due_at is not null)),
       case when (select seq from headrace.event_inbox where not_before is null or not_before <= now() order by seq limit 1)
                 is not null then 0.0 end,
       (select least(fold_in, sample_in) from headrace._rollups_due()),
       -- Until the transactions have ended that could not know of a limit, a look a second.
       (select min(case when swept and since >= pg_snapshot_xmin(pg_current_snapshot()) then 1.0 else 0.0 end)::float8
          from headrace.regate),
       headrace._alerts_due()
