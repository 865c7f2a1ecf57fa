-- By (definition_id, id), from where the last batch ended: an index entry of what is gone is not walked over again. A retry
-- locks the same row first; one that got ahead of us has changed it, and then it does not match any more. Bounds stand with
-- both tables, so that only one partition of each is looked at.
-- name: delete_batch
with past as materialized (
  select a.job_id
    from headrace.job as j
    join headrace.attempt as a on a.job_id = j.id
   where j.definition_id = $1 and j.id >= $2 and j.id < $3 and a.job_id >= $2 and a.job_id < $3 and a.final is not null
     and a.finished_at < case a.final when 'dead_letter' then $5::timestamptz else $4::timestamptz end
   order by j.id limit $6
     for update of a skip locked
), jobs as (
  delete from headrace.job where id >= $2 and id < $3 and id = any(array(select job_id from past))
), runs as (
  delete from headrace.attempt where job_id >= $2 and job_id < $3 and job_id = any(array(select job_id from past))
  returning coalesce(started_at, finished_at) as began, finished_at
), keys as (
  delete from headrace.idempotency where job_id = any(array(select job_id from past))
), reports as (
  delete from headrace.progress where job_id = any(array(select job_id from past))
)
select (select array_agg(job_id) from past) as ids, min(began) as began, max(finished_at) as ended from runs

-- Of the days in which they were written; those that are gone cost nothing.
-- name: delete_lines
delete from headrace.log where job_id = any($1) and at >= $2 and at < $3

-- name: count_rows
select count(*)
  from headrace.job as j
  join headrace.attempt as a on a.job_id = j.id
 where j.definition_id = $1 and j.id >= $2 and j.id < $3 and a.job_id >= $2 and a.job_id < $3 and a.final is not null
   and a.finished_at < case a.final when 'dead_letter' then $5::timestamptz else $4::timestamptz end

-- name: count_week
select definition.key, jobs
  from (select definition_id, count(*) as jobs from headrace.job where id >= $1 and id < $2 group by definition_id) as counted
  join headrace.definition on definition.id = definition_id
