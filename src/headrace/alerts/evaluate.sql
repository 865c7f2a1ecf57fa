-- Nothing when it is not due, or when somebody else is at it. $1: due or not.
-- name: take_turn
select now() from headrace.alert_turn
 where $1 or headrace._alerts_due() <= 0
   for update skip locked

-- name: note_looked
update headrace.alert_turn set looked_at = clock_timestamp(), took = clock_timestamp() - now()

-- Held, so that nobody turns one off or takes it away in the midst of a look.
-- name: read_rules
select id, tenant_id, name, kind, parameters, enabled_at, told_at, {alert_rule}
  from headrace.alert_rule
 where enabled
   for no key update

-- Open ones, and those whose end is still to be told; of rules that are on.
-- name: read_incidents
select alert.id, rule_id, subject, since, last_seen, count, measure, job_id, error, notices, alert.told_at, escalated_at,
       acknowledged_at, closed_at, closed_by, recovery_told_at
  from headrace.alert join headrace.alert_rule as rule on rule.id = rule_id and rule.enabled
 where closed_at is null
union all
select alert.id, rule_id, subject, since, last_seen, count, measure, job_id, error, notices, alert.told_at, escalated_at,
       acknowledged_at, closed_at, closed_by, recovery_told_at
  from headrace.alert join headrace.alert_rule as rule on rule.id = rule_id and rule.enabled
 where closed_at is not null and alert.told_at is not null and recovery_told_at is null

-- When the last incident of each subject ended: what lies before belongs to that one.
-- name: last_ends
select asked.rule_id, asked.subject, last.closed_at
  from (select distinct * from unnest($1::uuid[], $2::text[]) as given (rule_id, subject)) as asked
  cross join lateral (
    select closed_at from headrace.alert
     where alert.rule_id = asked.rule_id and alert.subject = asked.subject and closed_at is not null
     order by closed_at desc limit 1) as last

-- name: open_incident
insert into headrace.alert (rule_id, tenant_id, subject, since, last_seen, count, measure, job_id, error, notices, told_at)
select rule.id, rule.tenant_id, $2, $3, $4, $5, $6, $7, $8, $9, $10
  from headrace.alert_rule as rule where rule.id = $1
on conflict (rule_id, subject) where closed_at is null do nothing
returning id

-- A person may have closed it meanwhile: then it is theirs.
-- name: change_incident
update headrace.alert
   set last_seen = $2, count = $3, measure = $4, job_id = $5, error = $6, notices = $7, told_at = $8, escalated_at = $9,
       closed_at = $10, recovery_told_at = $11
 where id = $1 and closed_at is not distinct from $12

-- name: note_told
update headrace.alert_rule set told_at = $2 where id = $1
