-- A tenant that is null is everybody: then what is the server's own is found too. $3: open, closed, or null for both.
-- name: list_alerts
select alert.id, rule_id, rule.name as rule, rule.kind, rule.parameters, tenant.name as tenant, subject, since, last_seen, count,
       measure, job_id, error, notices, alert.told_at, escalated_at, acknowledged_at, acknowledged_by, closed_at, closed_by
  from headrace.alert
  join headrace.alert_rule as rule on rule.id = rule_id
  left join headrace.tenant on tenant.id = alert.tenant_id
 where ($1::int is null or alert.tenant_id = $1) and ($2::uuid is null or alert.id = $2)
   and ($3::bool is null or (closed_at is null) = $3) and ($4::uuid is null or rule_id = $4)
   and ($5::timestamptz is null or (since, alert.id) < ($5, $6::uuid))
 order by since desc, alert.id desc limit $7

-- name: lock_alert
select closed_at from headrace.alert where id = $1 and ($2::int is null or tenant_id = $2) for no key update

-- name: acknowledge
update headrace.alert set acknowledged_at = clock_timestamp(), acknowledged_by = $2
 where id = $1 and acknowledged_at is null
returning true

-- name: close
update headrace.alert set closed_at = clock_timestamp(), closed_by = $2 where id = $1
