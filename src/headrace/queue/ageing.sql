-- Whoever has waited for long is served as the most urgent of its queue are. A loose walk over what priorities there are in each
-- lane (and behind each gate), then the oldest of each: what is young costs nothing.
-- name: lift_aged
with recursive served as materialized (
  select lane.id as lane_id, lane.queue, coalesce(setting.ageing_seconds, 3600) as seconds
    from headrace.lane left join headrace.queue_setting as setting using (queue)
   where coalesce(setting.ageing_seconds, 3600) > 0
     and exists (select from headrace.queue_sample as s
                  where s.lane_id = lane.id and s.status = 'queued'
                    and s.oldest_queued_at < now() - make_interval(secs => coalesce(setting.ageing_seconds, 3600)))
), plain as (
  select s.lane_id, h.priority from served as s cross join lateral (
    select priority from headrace.queue as q
     where q.lane_id = s.lane_id and status = 'queued' and not suspect and gate is null order by priority limit 1) as h
  union all
  select plain.lane_id, h.priority from plain cross join lateral (
    select priority from headrace.queue as q
     where q.lane_id = plain.lane_id and status = 'queued' and not suspect and gate is null and q.priority > plain.priority
     order by priority limit 1) as h
), gated as (
  select s.lane_id, h.tenant_id, h.gate, h.priority, 1 as step from served as s cross join lateral (
    select tenant_id, gate, priority from headrace.queue as q
     where q.lane_id = s.lane_id and status = 'queued' and gate is not null order by tenant_id, gate, priority limit 1) as h
  union all
  select gated.lane_id, h.tenant_id, h.gate, h.priority, step + 1 from gated cross join lateral (
    select tenant_id, gate, priority from headrace.queue as q
     where q.lane_id = gated.lane_id and status = 'queued' and gate is not null
       and (q.tenant_id, q.gate, q.priority) > (gated.tenant_id, gated.gate, gated.priority)
     order by tenant_id, gate, priority limit 1) as h
   where step < 5000
), best as materialized (
  select queue, min(priority) as priority
    from (select lane_id, priority from plain union all select lane_id, priority from gated) as p join served using (lane_id)
   group by queue
), aged as materialized (
  select old.job_id, best.priority
    from plain join served using (lane_id) join best using (queue)
   cross join lateral (
     select job_id, queued_at from headrace.queue as q
      where q.lane_id = plain.lane_id and status = 'queued' and not suspect and gate is null and q.priority = plain.priority
      order by seq limit 1000) as old
   where plain.priority > best.priority and old.queued_at < now() - make_interval(secs => seconds)
  union all
  select old.job_id, best.priority
    from gated join served using (lane_id) join best using (queue)
   cross join lateral (
     select job_id, queued_at from headrace.queue as q
      where q.lane_id = gated.lane_id and q.tenant_id = gated.tenant_id and q.gate = gated.gate and status = 'queued'
        and gate is not null and q.priority = gated.priority
      order by seq limit 100) as old
   where gated.priority > best.priority and old.queued_at < now() - make_interval(secs => seconds)
), mine as materialized (
  select job_id from headrace.queue
   where job_id = any(array(select job_id from aged)) and status = 'queued' for update skip locked
), lifted as (
  update headrace.queue as q set priority = aged.priority
    from aged where q.job_id = aged.job_id and q.job_id = any(array(select job_id from mine))
  returning q.job_id
)
select count(*) from lifted
