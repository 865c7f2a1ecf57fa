-- Closed alerts go by the time they closed; open ones never.
-- name: prune_alerts
with gone as (
  delete from headrace.alert
   where id in (select id from headrace.alert where closed_at < now() - $1::interval order by since limit $2)
  returning 1
)
select count(*) from gone

-- Notices with their deliveries, whether they arrived or not.
-- name: prune_notices
with gone as (
  delete from headrace.alert_notice
   where id in (select id from headrace.alert_notice where created_at < now() - $1::interval order by created_at limit $2)
  returning 1
)
select count(*) from gone
