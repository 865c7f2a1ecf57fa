-- name: list_tenants
select name, title, max_queued, max_payload_bytes, requests_per_minute, created_at
  from headrace.tenant
 where $1::text is null or name > $1
 order by name limit $2

-- name: get_tenant
select name, title, max_queued, max_payload_bytes, requests_per_minute, created_at
  from headrace.tenant
 where name = $1

-- name: create_tenant
insert into headrace.tenant (name, title, max_queued, max_payload_bytes, requests_per_minute) values ($1, $2, $3, $4, $5)
on conflict do nothing
returning name, title, max_queued, max_payload_bytes, requests_per_minute, created_at

-- name: lock_tenant
select name, title, max_queued, max_payload_bytes, requests_per_minute, created_at
  from headrace.tenant
 where name = $1
   for no key update

-- name: change_tenant
update headrace.tenant set title = $2, max_queued = $3, max_payload_bytes = $4, requests_per_minute = $5
 where name = $1
returning name, title, max_queued, max_payload_bytes, requests_per_minute, created_at
