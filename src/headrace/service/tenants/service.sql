-- One, or those that come after one.
-- name: list_tenants
select name, title, weight, created_at, max_queued, max_payload_bytes, requests_per_minute, max_running, queues,
       most_urgent_priority, paused_at, paused_by, note, resume_at
  from headrace.tenant
  left join headrace.tenant_pause on tenant_id = id and (resume_at is null or resume_at > now())
 where not system and ($1::text is null or name > $1)
 order by name limit $2

-- name: get_tenant
select name, title, weight, created_at, max_queued, max_payload_bytes, requests_per_minute, max_running, queues,
       most_urgent_priority, paused_at, paused_by, note, resume_at
  from headrace.tenant
  left join headrace.tenant_pause on tenant_id = id and (resume_at is null or resume_at > now())
 where name = $1 and not system

-- name: create_tenant
insert into headrace.tenant (name, title, weight, max_queued, max_payload_bytes, requests_per_minute, max_running, queues,
                             most_urgent_priority)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict do nothing
returning true

-- name: lock_tenant
select from headrace.tenant where name = $1 and not system for no key update

-- name: change_tenant
update headrace.tenant
   set title = $2, weight = $3, max_queued = $4, max_payload_bytes = $5, requests_per_minute = $6, max_running = $7, queues = $8,
       most_urgent_priority = $9
 where name = $1

-- name: pause_tenant
insert into headrace.tenant_pause (tenant_id, note, paused_by, resume_at)
select id, $2, $3, $4 from headrace.tenant where name = $1 and not system
on conflict (tenant_id) do update
   set note = excluded.note, paused_by = excluded.paused_by, paused_at = excluded.paused_at, resume_at = excluded.resume_at

-- name: resume_tenant
delete from headrace.tenant_pause as p using headrace.tenant as t
 where t.name = $1 and p.tenant_id = t.id
returning p.resume_at is null or p.resume_at > now()
