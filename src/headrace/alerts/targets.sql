-- name: list_targets
select target.id, tenant.name as tenant, target.name, kind, address, secret is not null as signed, target.created_at,
       target.created_by, target.tenant_id
  from headrace.alert_target as target left join headrace.tenant on tenant.id = target.tenant_id
 where ($1::int is null or target.tenant_id = $1) and ($2::uuid is null or target.id = $2)
   and ($3::text is null or (target.name, target.id) > ($3, $4::uuid))
 order by target.name, target.id limit $5

-- name: make_id
select gen_random_uuid()

-- name: count_targets
select count(*) from headrace.alert_target where tenant_id is not distinct from $1

-- name: create_target
insert into headrace.alert_target (id, tenant_id, name, kind, address, secret, created_by) values ($1, $2, $3, $4, $5, $6, $7)

-- name: lock_target
select id from headrace.alert_target where id = $1 and ($2::int is null or tenant_id = $2) for update

-- name: update_target
update headrace.alert_target set name = $2, address = $3, secret = case when $4 then $5 else secret end where id = $1

-- name: rules_with_target
select name from headrace.alert_rule where $1 = any(targets) or escalate_to = $1 order by name limit 5

-- name: delete_target
delete from headrace.alert_target where id = $1
