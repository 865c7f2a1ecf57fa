-- One statement for all rules of a kind, with a row for each subject of a rule for which its condition holds. Rules come as
-- columns; a tenant that is null is everybody: those are asked apart, so that a tenant's have its index. History is entered by
-- what rollups say has happened lately, never read whole.
-- What notices themselves do ($1) is nobody's alert: it would never end.

-- name: job_died
with rule as materialized (
  select *, greatest(enabled_at, now() - make_interval(secs => within_seconds)) as since
    from unnest($2::uuid[], $3::int[], $4::timestamptz[], $5::text[], $6::float8[])
      as rule (id, tenant_id, enabled_at, definition, within_seconds)
), pair as materialized (
  select rule.id as rule_id, since, lately.tenant_id, lately.definition_id, definition.key
    from rule
    cross join lateral (
      select tenant_id, definition_id from headrace.rollup
       where rollup.tenant_id = rule.tenant_id and minute >= date_trunc('minute', since) and dead_letter > 0
       union
      select tenant_id, definition_id from headrace.rollup
       where rule.tenant_id is null and minute >= date_trunc('minute', since) and dead_letter > 0) as lately
    join headrace.definition on definition.id = lately.definition_id and definition.key <> $1
         and (rule.definition is null or definition.key = rule.definition)
), died as (
  select pair.rule_id, pair.key, found.job_id, found.error, found.finished_at
    from pair
    join headrace.lane on lane.definition_id = pair.definition_id
    cross join lateral (
      select job_id, error, finished_at from headrace.attempt
       where attempt.tenant_id = pair.tenant_id and attempt.lane_id = lane.id and final in ('failed', 'dead_letter')
         and final = 'dead_letter' and finished_at > pair.since
       order by finished_at desc limit 1000) as found
)
select rule_id, key, count(*), null::float8, max(finished_at), (array_agg(job_id order by finished_at desc))[1],
       (array_agg(left(error, 2000) order by finished_at desc))[1]
  from died
 group by rule_id, key

-- The n newest that failed, and no success since the first of them: by rollups for all but the minute that this one was in,
-- which is looked up, and by what is not folded yet. One statement sees both as they are at one moment. $7, $8 are those for
-- which it held the last time, for a streak goes on while nothing happens. Each tenant has streaks of its own.
-- name: failures_in_a_row
with rule as materialized (
  select *, greatest(enabled_at, now() - interval '10 minutes') as since
    from unnest($2::uuid[], $3::int[], $4::timestamptz[], $5::text[], $6::int[]) as rule (id, tenant_id, enabled_at, definition, n)
), pair as materialized (
  select rule.id as rule_id, rule.n, enabled_at, lately.tenant_id, lately.definition_id,
         case when rule.tenant_id is null then tenant.name || '/' || definition.key else definition.key end as subject
    from rule
    cross join lateral (
      select tenant_id, definition_id from headrace.rollup
       where rollup.tenant_id = rule.tenant_id and minute >= date_trunc('minute', since) and failed + dead_letter > 0
       union
      select tenant_id, definition_id from headrace.rollup
       where rule.tenant_id is null and minute >= date_trunc('minute', since) and failed + dead_letter > 0) as lately
    join headrace.definition on definition.id = lately.definition_id and definition.key <> $1
         and (rule.definition is null or definition.key = rule.definition)
    join headrace.tenant on tenant.id = lately.tenant_id
  union
  select rule.id, rule.n, enabled_at, tenant.id, definition.id, held.subject
    from unnest($7::uuid[], $8::text[]) as held (rule_id, subject)
    join rule on rule.id = held.rule_id
    join headrace.tenant on tenant.id = rule.tenant_id or (rule.tenant_id is null and tenant.name = split_part(held.subject, '/', 1))
    join headrace.definition on definition.key = case when rule.tenant_id is null then split_part(held.subject, '/', 2)
                                                      else held.subject end
), streak as materialized (
  select pair.rule_id, pair.n, pair.subject, pair.tenant_id, pair.definition_id, first_at, last_at, job_id, error
    from pair
    cross join lateral (
      select count(*) as found, min(finished_at) as first_at, max(finished_at) as last_at,
             (array_agg(job_id order by finished_at desc))[1] as job_id,
             (array_agg(left(error, 2000) order by finished_at desc))[1] as error
        from (select newest.job_id, newest.error, newest.finished_at
                from headrace.lane
                cross join lateral (
                  select job_id, error, finished_at from headrace.attempt
                   where attempt.tenant_id = pair.tenant_id and attempt.lane_id = lane.id and final in ('failed', 'dead_letter')
                     and finished_at > pair.enabled_at
                   order by finished_at desc limit pair.n) as newest
               where lane.definition_id = pair.definition_id
               order by newest.finished_at desc limit pair.n) as last) as ended
   where found = pair.n
)
select rule_id, subject, n::bigint, null::float8, last_at, job_id, error
  from streak
 where not exists (
         select from headrace.rollup
          where rollup.tenant_id = streak.tenant_id and rollup.definition_id = streak.definition_id and succeeded > 0
            and minute > date_trunc('minute', first_at) and minute < date_trunc('hour', first_at) + interval '1 hour')
   and not exists (
         select from headrace.rollup_hour
          where rollup_hour.tenant_id = streak.tenant_id and rollup_hour.definition_id = streak.definition_id and succeeded > 0
            and hour > date_trunc('hour', first_at))
   and not exists (
         select from headrace.rollup_delta join headrace.lane on lane.id = rollup_delta.lane_id
          where rollup_delta.tenant_id = streak.tenant_id and lane.definition_id = streak.definition_id
            and final = 'succeeded' and at > first_at)
   and not exists (
         select from headrace.attempt join headrace.lane on lane.id = attempt.lane_id
          where attempt.tenant_id = streak.tenant_id and lane.definition_id = streak.definition_id and final = 'succeeded'
            and finished_at > first_at and finished_at < date_trunc('minute', first_at) + interval '1 minute')

-- The sample is the newest failure of the tenant that had the most.
-- name: failure_rate
with rule as materialized (
  select *, greatest(enabled_at, now() - make_interval(secs => within_seconds)) as since
    from unnest($2::uuid[], $3::int[], $4::timestamptz[], $5::text[], $6::float8[], $7::float8[], $8::bigint[])
      as rule (id, tenant_id, enabled_at, definition, percent, within_seconds, min_attempts)
), pair as materialized (
  select rule.id as rule_id, rule.percent, rule.min_attempts, lately.tenant_id, lately.definition_id, definition.key, bad, attempts
    from rule
    cross join lateral (
      select tenant_id, definition_id, sum(failed + dead_letter + retried) as bad,
             sum(succeeded + failed + dead_letter + retried) as attempts
        from (select * from headrace.rollup where rollup.tenant_id = rule.tenant_id and minute >= date_trunc('minute', since)
              union all
              select * from headrace.rollup where rule.tenant_id is null and minute >= date_trunc('minute', since)) as minutes
       group by tenant_id, definition_id) as lately
    join headrace.definition on definition.id = lately.definition_id and definition.key <> $1
         and (rule.definition is null or definition.key = rule.definition)
), bad as materialized (
  select rule_id, definition_id, key, sum(pair.bad) as bad, sum(attempts) as attempts,
         (array_agg(tenant_id order by pair.bad desc))[1] as worst
    from pair
   group by rule_id, definition_id, key, percent, min_attempts
  having sum(attempts) >= min_attempts and 100 * sum(pair.bad) >= percent * sum(attempts)
)
select rule_id, key, bad::bigint, (100.0 * bad / attempts)::float8, now(), sample.job_id, sample.error
  from bad
  left join lateral (
    select newest.job_id, newest.error
      from headrace.lane
      cross join lateral (
        select job_id, left(error, 2000) as error, finished_at from headrace.attempt
         where attempt.tenant_id = bad.worst and attempt.lane_id = lane.id and final in ('failed', 'dead_letter')
         order by finished_at desc limit 1) as newest
     where lane.definition_id = bad.definition_id
     order by newest.finished_at desc limit 1) as sample on true

-- As it was when it was last sampled, a few seconds ago.
-- name: oldest_queued
select rule.id, lane.queue, sum(jobs)::bigint, extract(epoch from now() - min(oldest_queued_at))::float8, now(), null::uuid, null::text
  from unnest($1::uuid[], $2::int[], $3::text[], $4::float8[]) as rule (id, tenant_id, queue, seconds)
  join headrace.queue_sample as sample on status = 'queued' and (rule.tenant_id is null or sample.tenant_id = rule.tenant_id)
  join headrace.lane on lane.id = sample.lane_id and not paused and (rule.queue is null or lane.queue = rule.queue)
 where not exists (select from headrace.queue_pause where queue_pause.queue = lane.queue and (resume_at is null or resume_at > now()))
 group by rule.id, lane.queue, rule.seconds
having min(oldest_queued_at) < now() - make_interval(secs => rule.seconds)

-- Jobs that no live worker can claim, with the definitions that none knows: first all that are gone, for which no waiting helps,
-- then others up to five in all. And a queue that is named, once its last worker has been gone for so long; a tenant's rule
-- sees only queues in which its jobs can be.
-- name: no_worker
with rule as materialized (
  select * from unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::text[], $5::float8[])
    as rule (id, tenant_id, enabled_at, queue, seconds)
), live as materialized (
  select queues, definitions from headrace.worker where state = 'live' and lease_expires_at > now() and not draining
), unclaimed as (
  select rule.id as rule_id, rule.seconds, lane.queue, definition.key, definition.kind,
         definition.deleted_from_code_at is not null as gone, sum(jobs) as jobs, min(oldest_queued_at) as oldest
    from rule
    join headrace.queue_sample as sample on status = 'queued' and (rule.tenant_id is null or sample.tenant_id = rule.tenant_id)
    join headrace.lane on lane.id = sample.lane_id and (rule.queue is null or lane.queue = rule.queue)
    join headrace.definition on definition.id = lane.definition_id
   where not exists (
           select from live
            where (lane.queue = any(queues) or '*' = any(queues))
              and (definition.key = any(definitions) or (definition.kind = 'sql' and '*sql' = any(definitions))))
   group by rule.id, rule.seconds, lane.queue, definition.id
), waiting as (
  select rule_id, queue, sum(jobs) as jobs, min(oldest) as oldest, greatest(5, count(*) filter (where gone))::int as shown,
         array_agg(format('"%s"%s', key, case when gone then case kind when 'sql' then ' (undefined)' else ' (deleted from code)' end end)
                   order by gone desc, key) as unknown
    from unclaimed
   group by rule_id, queue, seconds
  having min(oldest) < now() - make_interval(secs => seconds)
), unserved as (
  select rule.id as rule_id, rule.queue
    from rule
   where rule.queue is not null and (rule.tenant_id is null or rule.queue = any(headrace._queues_of(rule.tenant_id)))
     and enabled_at < now() - make_interval(secs => rule.seconds)
     and not exists (select from live where rule.queue = any(queues) or '*' = any(queues))
     and not exists (select from headrace.worker
                      where (rule.queue = any(queues) or '*' = any(queues))
                        and coalesce(stopped_at, heartbeat_at) > now() - make_interval(secs => rule.seconds))
)
select rule_id, queue, coalesce(jobs, 0)::bigint, extract(epoch from now() - oldest)::float8, now(), null::uuid,
       case when jobs > 0 then format('No live worker of queue %s knows %s%s.', queue, array_to_string(unknown[:shown], ', '),
                                      case when cardinality(unknown) > shown then format(' and %s more', cardinality(unknown) - shown) end) end
  from waiting full join unserved using (rule_id, queue)

-- What fires say came to nothing; what is due and stays so; and what can come to nothing but that, because no code declares
-- the definition any more, for which events have no fires. Another due time that took the place of one is no miss, unless it
-- stands for a stretch.
-- name: missed_fire
with rule as materialized (
  select * from unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::text[], $5::float8[], $6::float8[])
    as rule (id, tenant_id, enabled_at, trigger, within_seconds, late_seconds)
), missed as (
  select rule.id as rule_id, fire.trigger_id, sum(coalesce(fire.n, 1)) as n, max(fire.at) as at
    from rule
    join headrace.fire on reason in ('missed', 'over_cap', 'superseded', 'deleted_from_code') and (reason <> 'superseded' or until is not null)
         and fire.at > greatest(enabled_at, now() - make_interval(secs => within_seconds))
   group by rule.id, fire.trigger_id
), late as (
  select rule.id as rule_id, t.id as trigger_id, fire_at
    from rule join headrace.trigger as t on t.enabled and fire_at < now() - make_interval(secs => late_seconds)
), gone as (
  select rule.id as rule_id, t.id as trigger_id, definition.key,
         case definition.kind when 'sql' then 'undefined' else 'deleted from code' end as how
    from rule
    join headrace.definition on deleted_from_code_at < now() - make_interval(secs => late_seconds)
    join headrace.trigger as t on t.definition_id = definition.id and t.enabled and t.next_run_at is distinct from 'infinity'
)
select rule_id, case when rule.tenant_id is null then tenant.name || '/' || t.name else t.name end, coalesce(missed.n, 0)::bigint,
       case when gone.key is null then extract(epoch from now() - late.fire_at)::float8 end,
       case when late.trigger_id is null and gone.key is null then missed.at else now() end, null::uuid,
       case when gone.key is null then t.last_error
            else format('The definition "%s" was %s, so the trigger can enqueue nothing.', gone.key, gone.how) end
  from missed full join late using (rule_id, trigger_id) full join gone using (rule_id, trigger_id)
  join rule on rule.id = rule_id
  join headrace.trigger as t on t.id = trigger_id and (rule.tenant_id is null or t.tenant_id = rule.tenant_id)
       and (rule.trigger is null or t.name = rule.trigger)
  join headrace.tenant on tenant.id = t.tenant_id

-- name: trigger_disabled
select rule.id, case when rule.tenant_id is null then tenant.name || '/' || t.name else t.name end, 1::bigint, null::float8,
       stopped_at, null::uuid, coalesce(last_error, pause_note)
  from unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::text[]) as rule (id, tenant_id, enabled_at, trigger)
  join headrace.trigger as t on stopped_at > enabled_at and (rule.tenant_id is null or t.tenant_id = rule.tenant_id)
       and (rule.trigger is null or t.name = rule.trigger)
  join headrace.tenant on tenant.id = t.tenant_id

-- Runs that may be too long, the longest first; what is usual is for the caller to say.
-- name: running
select rule.id as rule_id, definition.id as definition_id, definition.key, q.job_id, q.claimed_at, now() as now
  from unnest($2::uuid[], $3::int[], $4::text[], $5::float8[]) as rule (id, tenant_id, definition, min_seconds)
  join headrace.queue as q on q.status = 'running' and q.claimed_at < now() - make_interval(secs => min_seconds)
       and (rule.tenant_id is null or q.tenant_id = rule.tenant_id)
  join headrace.lane on lane.id = q.lane_id
  join headrace.definition on definition.id = lane.definition_id and definition.key <> $1
       and (rule.definition is null or definition.key = rule.definition)
 order by q.claimed_at
