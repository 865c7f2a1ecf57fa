-- A row that is gone when we commit and back when we do not: no cursor, which transactions that commit late would slip by.
-- name: take_events
with taken as (
  delete from headrace.event_inbox
   where seq = any(array(
     select seq from headrace.event_inbox
      where (not_before is null or not_before <= now()) and ($2::bigint[] is null or seq = any($2))
      order by seq limit $1 for update skip locked))
  returning seq, event_id
)
select taken.seq, e.id, e.tenant_id, tenant.name as tenant, e.name, e.data, e.correlation_id, e.emitted_at,
       e.trace_context
  from taken
  join headrace.event as e on e.id = taken.event_id
  join headrace.tenant on tenant.id = e.tenant_id
 order by taken.seq

-- SHARE and not KEY SHARE: a disable must wait for us, or we for it, and then read again.
-- name: match_triggers
select t.id, t.version, t.tenant_id, t.event_name
  from unnest($1::int[], $2::text[]) as asked (tenant_id, event_name)
  join headrace.trigger as t
    on t.enabled and t.trigger_type = 'event' and t.tenant_id = asked.tenant_id and t.event_name = asked.event_name
   for share of t

-- name: write_deliveries
insert into headrace.delivery (event_id, trigger_id, outcome, reason, detail, job_id)
select event_id, trigger_id, case when reason is null then 'fired' else 'skipped' end, reason, detail, job_id
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[])
    as line (event_id, trigger_id, reason, detail, job_id)
on conflict do nothing
returning job_id

-- name: mark_deduplicated
update headrace.delivery as d
   set outcome = 'skipped', reason = 'deduplicated', job_id = line.earlier_id
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as line (event_id, trigger_id, earlier_id)
 where d.event_id = line.event_id and d.trigger_id = line.trigger_id

-- Later and later; the last time it is given up: gives back the event then.
-- name: postpone
with later as (
  update headrace.event_inbox
     set tries = tries + 1, not_before = now() + make_interval(secs => power(2, tries))
   where seq = $1 and tries + 1 < $3
), gone as (
  delete from headrace.event_inbox where seq = $1 and tries + 1 >= $3 returning event_id
)
update headrace.event set error = $2 where id in (select event_id from gone) returning id
