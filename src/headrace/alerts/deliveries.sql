-- name: list_deliveries
select delivery.id, notice_id, tenant.name as tenant, event, notice.rule_id, notice.target_id, target, delivery.at, seconds,
       status_code, error, notice.body -> 'rule' ->> 'name' as rule
  from headrace.alert_delivery as delivery
  join headrace.alert_notice as notice on notice.id = notice_id
  left join headrace.tenant on tenant.id = delivery.tenant_id
 where ($1::int is null or delivery.tenant_id = $1) and ($2::uuid is null or notice_id = $2)
   and ($3::uuid is null or notice.target_id = $3) and ($4::bigint is null or delivery.id < $4)
 order by delivery.id desc limit $5
