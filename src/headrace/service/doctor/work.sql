-- name: workers
select count(*) filter (where state = 'live' and lease_expires_at > now())::int,
       coalesce(array_agg(name order by id) filter (where state = 'live' and heartbeat_at < now() - lease / 2), '{}'),
       coalesce(array_agg(name order by id) filter (where state = 'lost' and heartbeat_at > now() - interval '1 hour'), '{}'),
       coalesce(array_agg(format('%s for %s s', name, round(extract(epoch from stood_still))) order by id desc)
                filter (where stood_still is not null and heartbeat_at > now() - interval '1 hour'), '{}')
  from headrace.worker

-- By lane, of which there are few: whether one has a waiting job is a look into an index. What no code declares any more
-- comes first: no worker that is started with today's code will run it.
-- name: unserved
select d.key as definition, lane.queue, d.kind, d.deleted_from_code_at is not null as gone
  from headrace.lane
  join headrace.definition as d on d.id = lane.definition_id
 where d.enabled
   and exists (select from headrace.queue as q where q.lane_id = lane.id and q.status = 'queued')
   and not exists (select from headrace.worker as w
                    where w.state = 'live' and w.lease_expires_at > now()
                      and (d.key = any(w.definitions) or (d.kind = 'sql' and '*sql' = any(w.definitions)))
                      and (lane.queue = any(w.queues) or '*' = any(w.queues)))
 order by gone desc, d.key, lane.queue limit 10

-- Workers over HTTP bring no built-in jobs.
-- name: builtin_workers
select count(*)::int,
       (count(*) filter (where ('*' = any(queues) or $1 = any(queues))
                           and exists (select from unnest(definitions) as key where key like $2)))::int
  from headrace.worker
 where state = 'live' and lease_expires_at > now()

-- name: open_alerts
select rule.name as rule, alert.subject, count(*) over ()::int as n
  from headrace.alert join headrace.alert_rule as rule on rule.id = alert.rule_id
 where alert.closed_at is null
 order by alert.since limit 3
