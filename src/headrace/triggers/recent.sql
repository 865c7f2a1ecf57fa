-- What became of the newest due times or events of some triggers. A job that retention took has no status any more.
-- name: recent_runs
select wanted.id, line.at, case when line.outcome = 'skipped' then 'skipped' else coalesce(live.status, ended.final)::text end,
       line.reason, line.job_id, extract(epoch from ended.finished_at - ended.started_at)::float8
  from unnest($1::uuid[]) as wanted (id)
 cross join lateral (
         (select due_at as at, outcome, reason, job_id from headrace.fire
           where trigger_id = wanted.id order by due_at desc, fire.at desc limit $2)
         union all
         (select event.emitted_at, newest.outcome, newest.reason, newest.job_id
            from (select * from headrace.delivery where trigger_id = wanted.id order by event_id desc limit $2) as newest
            join headrace.event on event.id = newest.event_id)
         order by at desc limit $2) as line
  left join headrace.queue as live on live.job_id = line.job_id
  left join lateral (select final, started_at, finished_at from headrace.attempt
                      where attempt.job_id = line.job_id and attempt.final is not null
                      order by run desc limit 1) as ended on live.job_id is null
 order by wanted.id, line.at desc
