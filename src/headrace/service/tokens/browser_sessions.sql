-- Those who sign in with one token follow each other, so that each counts the sessions of those before.
-- name: lock_token
select id from headrace.token
 where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())
   for no key update

-- A sign-in clears away sessions that are over, and the token's oldest ones beyond the most that it may have.
-- name: open_session
with over as (
  delete from headrace.session where expires_at < now()
), surplus as (
  delete from headrace.session
   where hash = any(array(select hash from headrace.session where token_id = $1 and expires_at >= now()
                           order by created_at desc, hash offset $4::int - 1))
)
insert into headrace.session (hash, token_id, expires_at) values ($2, $1, now() + $3::interval)

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
delete from headrace.session where hash = $1 returning true
