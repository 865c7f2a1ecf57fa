-- What is to be sent, and where to. The time by which it is signed is the database's.
-- name: read_notice
select notice.id, event, notice.tenant_id, tenant.name as tenant, notice.created_at, body, sent_at, target.id as target_id,
       target.name as target, target.kind, target.address, target.secret, now() as now
  from headrace.alert_notice as notice
  left join headrace.alert_target as target on target.id = notice.target_id
  left join headrace.tenant on tenant.id = notice.tenant_id
 where notice.id = $1

-- Without an error it arrived.
-- name: write_delivery
with arrived as (
  update headrace.alert_notice set sent_at = clock_timestamp() where id = $1 and $5::text is null
)
insert into headrace.alert_delivery (notice_id, tenant_id, target, at, seconds, status_code, error)
select id, tenant_id, $2, $3, extract(epoch from clock_timestamp() - $3::timestamptz), $4, $5
  from headrace.alert_notice where id = $1
