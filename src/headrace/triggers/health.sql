-- name: clocks
select (select extract(epoch from now() - min(fire_at))::float8 from headrace.trigger
         where enabled and fire_at < now() - interval '30 seconds'),
       (select extract(epoch from max(at) - now())::float8 from headrace.fire where at > now() + interval '1 minute')

-- Whatever they are due for comes to nothing.
-- name: gone
select d.key as definition, d.kind, count(*) as triggers, min(t.name) as named
  from headrace.trigger as t
  join headrace.definition as d on d.id = t.definition_id
 where t.enabled and d.deleted_from_code_at is not null and t.next_run_at is distinct from 'infinity'
 group by d.key, d.kind
 order by d.key limit 10

-- name: unserved
select d.key as definition, count(*) as triggers
  from headrace.trigger as t
  join headrace.definition as d on d.id = t.definition_id
 where t.enabled and d.enabled and d.deleted_from_code_at is null and t.next_run_at is distinct from 'infinity'
   and not exists (select from headrace.worker as w
                    where w.state = 'live' and w.lease_expires_at > now() and (d.key = any(w.definitions) or (d.kind = 'sql' and '*sql' = any(w.definitions)))
                      and (coalesce(t.queue, d.queue) = any(w.queues) or '*' = any(w.queues)))
 group by d.key
 order by d.key limit 10

-- name: in_error
select t.name, tenant.name as tenant, t.enabled, t.last_error
  from headrace.trigger as t
  join headrace.tenant on tenant.id = t.tenant_id
 where t.last_error is not null
 order by t.name limit 10
