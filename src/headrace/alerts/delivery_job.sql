-- name: write_notice
insert into headrace.alert_notice (tenant_id, rule_id, target_id, event, body)
select $1, $2, target.id, $4, $5::jsonb
  from headrace.alert_target as target
 where target.id = $3 and target.tenant_id is not distinct from $1
returning id

-- name: send_notice
select headrace._send_notice($1)

-- name: was_tested
select exists (select from headrace.alert_notice
                where tenant_id = $1 and event = 'test' and created_at > clock_timestamp() - $2::interval)
