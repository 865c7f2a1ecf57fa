-- This week and the last one there is always stay: ids are made for them.
-- name: list_weeks
select p.lower_bound, p.upper_bound, p.leaving,
       p.upper_bound <= now() and p.upper_bound < (select max(upper_bound) from headrace.partition) as is_past,
       coalesce(pg_total_relation_size(job.oid), 0) + coalesce(pg_total_relation_size(attempt.oid), 0) as bytes,
       greatest(coalesce(job.reltuples, 0), 0)::bigint as jobs
  from headrace.partition as p
  left join pg_catalog.pg_class as job on job.oid = to_regclass(format('headrace.%I', 'job_' || p.suffix))
  left join pg_catalog.pg_class as attempt on attempt.oid = to_regclass(format('headrace.%I', 'attempt_' || p.suffix))
 order by p.lower_bound

-- Reads the week once; either it goes then, or what stays in it is found, as a rule soon, and the rest is deleted.
-- name: must_stay
select exists (select from headrace.queue where job_id >= $1 and job_id < $2)
    or exists (
         select from headrace.attempt as a
           join headrace.lane on lane.id = a.lane_id
           left join unnest($3::int[], $4::timestamptz[], $5::timestamptz[], $6::uuid[])
                  as policy (definition_id, ended_before, dead_before, keep_from) on policy.definition_id = lane.definition_id
          where a.job_id >= $1 and a.job_id < $2 and a.final is not null
            and (policy.definition_id is null or a.job_id >= policy.keep_from
                 or a.finished_at >= case a.final when 'dead_letter' then policy.dead_before else policy.ended_before end))

-- name: mark_leaving
update headrace.partition set leaving = true where lower_bound = $1

-- A job that ended before can only be live, or have ended later, by a retry.
-- name: changed_since
select exists (select from headrace.queue where job_id >= $1 and job_id < $2)
    or exists (select from headrace.attempt where job_id >= $1 and job_id < $2 and finished_at >= $3)

-- One look into an index for each definition.
-- name: touched
select policy.id
  from unnest($3::int[], $4::uuid[]) as policy (id, bound)
 where bound > $1
   and exists (select from headrace.job
                where job.definition_id = policy.id and job.id >= $1 and job.id < $2 and job.id < policy.bound)
