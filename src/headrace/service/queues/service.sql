-- Depth is as it was last sampled, and what happened in the last hour is from rollups: nothing here reads a job. What is
-- counted by definition is put to the queue that the definition has now. A queue that nothing declares leaves the list an hour after
-- its last job.
-- name: list_queues
with named as materialized (
  select lane.queue from headrace.lane join headrace.definition on definition.id = lane.definition_id
   where (not system or $4) and (unused_since is null or unused_since > now() - interval '1 hour')
  union select queue from headrace.definition where deleted_from_code_at is null and (not system or $4)
  union select queue from headrace.queue_pause
  union select queue from headrace.queue_setting
), page as materialized (
  select queue from named where ($1::text is null or queue > $1) and ($3::text is null or queue = $3) order by queue limit $2
), depth as (
  select lane.queue, sum(jobs) filter (where status = 'scheduled') as scheduled,
         sum(jobs) filter (where status = 'queued') as queued, sum(jobs) filter (where status = 'running') as running,
         min(oldest_queued_at) filter (where status = 'queued') as oldest
    from headrace.queue_sample join headrace.lane on lane.id = queue_sample.lane_id
   where lane.queue in (select queue from page)
   group by lane.queue
), done as (
  select definition.queue, sum(enqueued) as enqueued, sum(succeeded) as succeeded,
         sum(failed) + sum(dead_letter) as failed, sum(retried) as retried
    from headrace.rollup join headrace.definition on definition.id = rollup.definition_id
   where minute >= now() - interval '1 hour' and definition.queue in (select queue from page)
   group by definition.queue
)
select page.queue, coalesce(scheduled, 0)::bigint, coalesce(queued, 0)::bigint, coalesce(running, 0)::bigint,
       extract(epoch from now() - oldest)::float8,
       array(select definition.key from headrace.lane join headrace.definition on definition.id = lane.definition_id
              where lane.queue = page.queue and lane.paused order by definition.key),
       (select count(*) from headrace.worker
         where state = 'live' and lease_expires_at > now() and not draining and (page.queue = any(queues) or '*' = any(queues))),
       coalesce(enqueued, 0)::bigint, coalesce(succeeded, 0)::bigint, coalesce(failed, 0)::bigint, coalesce(retried, 0)::bigint,
       paused_at, paused_by, note, resume_at, setting.max_running, coalesce(setting.fair, false), coalesce(setting.ageing_seconds, 3600)
  from page
  left join depth on depth.queue = page.queue
  left join done on done.queue = page.queue
  left join headrace.queue_setting as setting on setting.queue = page.queue
  left join headrace.queue_pause on queue_pause.queue = page.queue and (resume_at is null or resume_at > now())
 order by page.queue

-- Of a minute the rollups of a queue's definitions are added, of a step's minutes the deepest counts.
-- name: queue_depths
with minutes as (
  select definition.queue, minute, sum(depth) as depth
    from headrace.rollup join headrace.definition on definition.id = rollup.definition_id
   where minute > now() - interval '1 hour' and not definition.system
   group by definition.queue, minute
)
select queue, width_bucket(extract(epoch from now() - minute)::float8, 3600::float8, 0::float8, $1::int) as step, max(depth)::bigint as depth
  from minutes group by queue, step

-- name: queue_shares
select definition.queue, tenant.name, sum(runs)::bigint as runs
  from headrace.rollup
  join headrace.definition on definition.id = rollup.definition_id
  join headrace.tenant on tenant.id = rollup.tenant_id
 where minute > now() - interval '1 hour' and not definition.system
 group by definition.queue, tenant.name having sum(runs) > 0
 order by definition.queue, sum(runs) desc, tenant.name

-- name: pause_queue
insert into headrace.queue_pause (queue, note, paused_by, resume_at) values ($1, $2, $3, $4)
on conflict (queue) do update
   set note = excluded.note, paused_by = excluded.paused_by, paused_at = excluded.paused_at, resume_at = excluded.resume_at

-- name: resume_queue
delete from headrace.queue_pause where queue = $1 returning resume_at is null or resume_at > now()

-- name: ensure_settings
insert into headrace.queue_setting (queue) values ($1) on conflict do nothing

-- name: lock_settings
select max_running, fair, ageing_seconds from headrace.queue_setting where queue = $1 for no key update

-- name: change_settings
update headrace.queue_setting set max_running = $2, fair = $3, ageing_seconds = $4 where queue = $1
