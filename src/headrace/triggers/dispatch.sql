-- The next tenant whose events are due and whose rows no other dispatcher is just taking; tenants are found by leaps
-- through the index. The hold is over by itself, so a dispatcher that died keeps nothing from the others. What a hold
-- leaves behind comes in halves: nothing has to be written when a batch fails. Bytes are counted without reading the data:
-- compressed data is at most a hundred times as large, and never more than the largest event.
-- name: claim_events
with recursive tenants (tenant_id) as (
  (select tenant_id from headrace.event_inbox where tenant_id > $2 order by tenant_id limit 1)
  union all
  select (select i.tenant_id from headrace.event_inbox as i where i.tenant_id > tenants.tenant_id order by i.tenant_id limit 1)
    from tenants
   where tenants.tenant_id is not null
), turn as materialized (
  select tenants.tenant_id
    from tenants,
         lateral (select from headrace.event_inbox as i
                   where i.tenant_id = tenants.tenant_id and (i.not_before is null or i.not_before <= now())
                   order by i.seq limit 1 for update skip locked) as due,
         -- Whoever loses a hold with the server's memory only takes the events again: no need to wait for the disk.
         set_config('synchronous_commit', 'off', true)
   limit 1
), due as materialized (
  select i.seq, i.batch_limit, i.event_id
    from headrace.event_inbox as i
   where i.tenant_id = (select tenant_id from turn) and (i.not_before is null or i.not_before <= now())
   order by i.seq limit $1 for update skip locked
), counted as (
  select seq, row_number() over so_far as number, min(coalesce(batch_limit, $1)) over so_far as most,
         sum(size) over so_far - size as bytes_before
    from due
    join lateral (
      select case when pg_column_compression(data) is null then pg_column_size(data)
                  else least(1048576, 100 * pg_column_size(data)) end as size
        from headrace.event where id = event_id) as sized on true
  window so_far as (order by seq rows unbounded preceding)
), chosen as (
  select seq, count(*) over () as n from counted where number <= most and bytes_before < $4::bigint
), held as (
  update headrace.event_inbox as i
     set not_before = now() + make_interval(secs => $3), batch_limit = greatest(1, chosen.n / 2)
    from chosen
   where i.seq = chosen.seq
  returning i.seq, i.event_id, i.begun
)
select held.seq, held.begun, e.id, e.tenant_id, tenant.name as tenant, e.name, e.data, e.correlation_id, e.emitted_at,
       e.trace_context
  from held
  join headrace.event as e on e.id = held.event_id
  join headrace.tenant on tenant.id = e.tenant_id
 order by held.seq

-- name: wait_briefly
select set_config('lock_timeout', $1, true)

-- name: read_triggers
select id, version, event from headrace.trigger
 where enabled and trigger_type = 'event' and tenant_id = $1 and event = any($2::text[])

-- SHARE and not KEY SHARE: a disable must wait for us, or we for it, and then read again.
-- name: lock_triggers
select id, version, event from headrace.trigger
 where enabled and trigger_type = 'event' and tenant_id = $1 and event = any($2::text[])
   for share

-- The row decides who has handled the event: it is gone when we commit and back when we do not. In one order, for a
-- dispatcher whose hold ran out may meet the one that took over.
-- name: take_events
delete from headrace.event_inbox
 where seq = any(array(select seq from headrace.event_inbox where seq = any($1::bigint[]) order by seq for update))
returning seq

-- name: begin_event
update headrace.event_inbox set begun = true where seq = $1 returning seq

-- name: read_delivered
select event_id, trigger_id from headrace.delivery where event_id = any($1::uuid[])

-- name: write_deliveries
insert into headrace.delivery (event_id, trigger_id, outcome, reason, detail, job_id)
select event_id, trigger_id, case when reason is null then 'fired' else 'skipped' end, reason, detail, job_id
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[])
    as line (event_id, trigger_id, reason, detail, job_id)
on conflict do nothing
returning job_id

-- In one order, for two sessions may have the same slot.
-- name: count_fires
insert into headrace.event_fires as kept (trigger_id, slot, fires)
select trigger_id, pg_backend_pid() % 16, count(*) from unnest($1::uuid[]) as fired (trigger_id) group by trigger_id order by trigger_id
on conflict (trigger_id, slot) do update set fires = kept.fires + excluded.fires

-- name: mark_deduplicated
update headrace.delivery as d
   set outcome = 'skipped', reason = 'deduplicated', job_id = line.earlier_id
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as line (event_id, trigger_id, earlier_id)
 where d.event_id = line.event_id and d.trigger_id = line.trigger_id
