-- A tenant that is null is everybody: then what is the server's own is found too.

-- name: list_rules
select rule.id, tenant.name as tenant, rule.name, kind, parameters, enabled, rule.{alert_rule}, rule.created_at, rule.created_by,
       rule.tenant_id,
       (select count(*) from headrace.alert where alert.rule_id = rule.id and closed_at is null)::int as open_alerts
  from headrace.alert_rule as rule left join headrace.tenant on tenant.id = rule.tenant_id
 where ($1::int is null or rule.tenant_id = $1) and ($2::uuid is null or rule.id = $2)
   and ($3::text is null or (rule.name, rule.id) > ($3, $4::uuid))
 order by rule.name, rule.id limit $5

-- name: lock_rule
select id from headrace.alert_rule where id = $1 and ($2::int is null or tenant_id = $2) for update

-- name: count_rules
select count(*) from headrace.alert_rule where tenant_id is not distinct from $1

-- name: create_rule
insert into headrace.alert_rule (tenant_id, name, kind, parameters, enabled, created_by, {alert_rule})
select $1, $2, $3, $4, $5, $6, new.{alert_rule} from jsonb_populate_record(null::headrace.alert_rule, $7) as new
returning id

-- name: update_rule
update headrace.alert_rule as rule
   set name = $2, parameters = $3, ({alert_rule}) = (select new.{alert_rule} from jsonb_populate_record(rule, $4) as new)
 where id = $1

-- From now: what happened while it was off does not count.
-- name: set_enabled
update headrace.alert_rule
   set enabled = $2, enabled_at = case when $2 then clock_timestamp() else enabled_at end, told_at = null
 where id = $1 and enabled <> $2
returning true

-- Without a word: nobody looks any more, so nobody knows whether it is over.
-- name: close_alerts_of
update headrace.alert set closed_at = clock_timestamp(), closed_by = $2, recovery_told_at = clock_timestamp()
 where rule_id = $1 and closed_at is null

-- name: delete_rule
delete from headrace.alert_rule where id = $1

-- In the order of ids, and held until the rule stands, lest one goes meanwhile.
-- name: hold_targets
select id from headrace.alert_target where id = any($1::uuid[]) and tenant_id is not distinct from $2 order by id for share
