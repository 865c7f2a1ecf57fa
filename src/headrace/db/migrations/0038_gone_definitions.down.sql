drop index headrace.fire_missed;
create index fire_missed on headrace.fire (at) where reason in ('missed', 'over_cap', 'superseded');

drop view headrace.schedule_status;
create view headrace.schedule_status as
select t.name,
       tenant.name as tenant,
       definition.key as definition,
       t.enabled,
       case when isfinite(t.next_run_at) and t.enabled then t.next_run_at end as next_run_at,
       t.last_run_at,
       recent.last_run_success,
       t.runs as total_runs,
       recent.success_rate_percent,
       recent.avg_duration_ms,
       recent.max_duration_ms,
       t.id,
       t.trigger_type,
       t.cron_expr,
       t.interval_seconds,
       t.timezone,
       t.pause_note,
       t.last_error
  from headrace.trigger as t
  join headrace.tenant on tenant.id = t.tenant_id
  join headrace.definition on definition.id = t.definition_id
  left join lateral (
    select (array_agg(final = 'succeeded' order by finished_at desc))[1] as last_run_success,
           round(100.0 * count(*) filter (where final = 'succeeded') / count(*), 1) as success_rate_percent,
           round(avg(duration_ms))::bigint as avg_duration_ms,
           max(duration_ms) as max_duration_ms
      from (select job_id from headrace.fire
             where fire.trigger_id = t.id and outcome = 'fired' order by due_at desc limit 100) as fired
      join lateral (select final, finished_at,
                           round(extract(epoch from finished_at - started_at) * 1000)::bigint as duration_ms
                      from headrace.attempt
                     where attempt.job_id = fired.job_id and final is not null
                     order by run desc limit 1) as ended on true
    having count(*) > 0) as recent on true
 where t.trigger_type <> 'event';
