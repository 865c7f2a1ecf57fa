-- part: columns
       t.id, t.name, t.role, (select name from headrace.tenant where tenant.id = t.tenant_id), t.queues, t.created_at, t.created_by,
       t.expires_at, t.last_used_at, t.revoked_at, t.expires_at is not null and t.expires_at <= now()

-- name: create_token
insert into headrace.token as t (name, hash, role, tenant_id, queues, expires_at, created_by)
values ($1, $2, $3, case when $4::text is not null then headrace._tenant_id($4) end, $5, $6, $7)
returning
-- include: columns

-- name: revoke_token
update headrace.token as t set revoked_at = coalesce(revoked_at, now()) where id = $1
returning
-- include: columns

-- name: list_tokens
select
-- include: columns
  from headrace.token as t
 order by t.created_at desc, t.id

-- name: find_principal
with used as (
  update headrace.token set last_used_at = now()
   where hash = $1 and revoked_at is null and (last_used_at is null or last_used_at < now() - interval '1 minute'))
select t.id, t.name, t.role, t.tenant_id, tenant.name as tenant, t.queues, tenant.requests_per_minute, t.hash
  from headrace.token as t left join headrace.tenant on tenant.id = t.tenant_id
 where t.hash = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())

-- name: any_good
select exists (select from headrace.token where revoked_at is null and (expires_at is null or expires_at > now()))
