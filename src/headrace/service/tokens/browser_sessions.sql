-- Whoever signs in clears away what is over.
-- name: open_session
with over as (delete from headrace.session where expires_at < now())
insert into headrace.session (hash, token_id, expires_at)
select $2, id, now() + $3::interval from headrace.token
 where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())

-- Its use is noted once a minute at most, and counts as the token's.
-- name: find_session
with used as (
  update headrace.session set expires_at = now() + $2::interval
   where hash = $1 and expires_at > now() and expires_at < now() + $2::interval - interval '1 minute'
  returning token_id
), noted as (
  update headrace.token set last_used_at = now() where revoked_at is null and id in (select token_id from used)
)
select t.id, t.name, t.role, t.tenant_id, tenant.name as tenant, t.queues, tenant.requests_per_minute, session.hash
  from headrace.session join headrace.token as t on t.id = session.token_id
  left join headrace.tenant on tenant.id = t.tenant_id
 where session.hash = $1 and session.expires_at > now()
   and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())

-- name: end_session
delete from headrace.session where hash = $1
