-- Up to which run every line there will ever be is to be seen, and whether the job has ended. Asked before the lines are:
-- lines are written before a run's end, so whoever sees the end sees the lines.
-- name: ended_upto
select coalesce((select run - (status = 'running')::int from headrace.queue where job_id = $1),
                (select max(run) from headrace.attempt where job_id = $1), 2147483647) as ended_upto,
       not exists (select from headrace.queue where job_id = $1) as has_ended

-- Unwanted lines come too, without their text, for the reader counts. A hole before an old line will not be filled any
-- more: what was there has been pruned.
-- name: read_lines
select run, seq, at, level, stream, case when wanted then message end as message, case when wanted then fields end as fields,
       at < now() - interval '1 minute' as is_old
  from headrace.log
 cross join lateral (select level >= coalesce($5, level) and stream = coalesce($6, stream) as wanted) as choice
 where job_id = $1 and (run, seq) > ($2, $3)
 order by run, seq
 limit $4
