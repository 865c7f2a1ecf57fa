-- name: release
update headrace.event_inbox set not_before = now() + make_interval(secs => $2) where seq = any($1::bigint[])

-- Later and later. Nothing comes back when this was the last attempt, or when another dispatcher has handled the event.
-- name: postpone
update headrace.event_inbox
   set attempts = attempts + 1, not_before = now() + make_interval(secs => least($4, $3 * power(2, attempts)))
 where seq = $1 and attempts + 1 < $2
returning attempts

-- name: give_up
with gone as (
  delete from headrace.event_inbox where seq = $1 returning event_id, tenant_id
), failed as (
  update headrace.event set error = $2 where id in (select event_id from gone)
)
insert into headrace.delivery (event_id, trigger_id, outcome, reason, detail)
select gone.event_id, t.id, 'skipped', 'dispatch_failed', $2
  from gone
  join headrace.trigger as t on t.tenant_id = gone.tenant_id
 where t.enabled and t.trigger_type = 'event' and t.event = any($3::text[])
on conflict do nothing

-- name: give_up_without_deliveries
with gone as (delete from headrace.event_inbox where seq = $1 returning event_id)
update headrace.event set error = $2 where id in (select event_id from gone)
