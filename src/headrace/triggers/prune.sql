-- name: prune_fires
with gone as (
  delete from headrace.fire
   where (trigger_id, due_at, occasion) in (
     select trigger_id, due_at, occasion from headrace.fire where at < now() - $1::interval order by at limit $2)
  returning 1
)
select count(*) from gone

-- Ids are times. The inbox holds what is not yet dispatched.
-- name: prune_events
with old as materialized (
  select id from headrace.event
   where id < headrace._first_id(now() - $1::interval)
     and not exists (select from headrace.event_inbox where event_inbox.event_id = event.id)
   order by id limit $2
), deliveries as (
  delete from headrace.delivery where event_id in (select id from old)
), keys as (
  delete from headrace.event_key where event_id in (select id from old)
), gone as (
  delete from headrace.event where id in (select id from old) returning 1
)
select count(*) from gone

-- name: prune_windows
with gone as (
  delete from headrace.dedupe
   where (trigger_id, payload_hash) in (
     select trigger_id, payload_hash from headrace.dedupe where until < now() - $1::interval order by until limit $2)
  returning 1
)
select count(*) from gone
