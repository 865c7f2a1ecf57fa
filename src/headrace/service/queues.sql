-- Depth is as it was last sampled, and what happened in the last hour is from rollups: nothing here reads a job. What is
-- counted by definition is put to the queue that the definition has now.
-- name: list_queues
with named as materialized (
  select queue from headrace.lane
  union select queue from headrace.definition where deleted_from_code_at is null
  union select queue from headrace.queue_pause
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
       paused_at, paused_by, note, resume_at
  from page
  left join depth on depth.queue = page.queue
  left join done on done.queue = page.queue
  left join headrace.queue_pause on queue_pause.queue = page.queue and (resume_at is null or resume_at > now())
 order by page.queue

-- name: pause_queue
insert into headrace.queue_pause (queue, note, paused_by, resume_at) values ($1, $2, $3, $4)
on conflict (queue) do update
   set note = excluded.note, paused_by = excluded.paused_by, paused_at = excluded.paused_at, resume_at = excluded.resume_at

-- name: resume_queue
delete from headrace.queue_pause where queue = $1 returning resume_at is null or resume_at > now()
