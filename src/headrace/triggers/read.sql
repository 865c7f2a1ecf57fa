-- name: read_triggers
select t.id, tenant.name as tenant, t.name, d.key as definition, t.enabled, t.pause_note, t.app, t.version, t.starts_at, t.ends_at,
       case when isfinite(t.next_run_at) and t.enabled then t.next_run_at end as next_run_at, t.pending_due_at,
       case when t.trigger_type = 'event' then event.at else t.last_run_at end as last_run_at, t.last_error,
       t.fires + coalesce(event.fires, 0) as fires, t.runs + coalesce(event.fires, 0) as runs,
       t.created_at, t.created_by, to_jsonb(t) - 'payload' - 'declared' as columns, t.payload, t.declared,
       case when not t.enabled then null when d.deleted_from_code_at is not null then 'deleted_from_code'
            when not d.enabled then 'definition_disabled' when cardinality(d.secret_fields) > 0 then 'secret_fields'
            when tenant.name <> all(d.tenants) then 'tenant_not_allowed'
            when not exists (select from headrace.worker as w
                              where w.state = 'live' and w.lease_expires_at > now()
                                and (d.key = any(w.definitions) or (d.kind = 'sql' and '*sql' = any(w.definitions)))
                                and (coalesce(t.queue, d.queue) = any(w.queues) or '*' = any(w.queues))) then 'no_worker'
       end as obstacle
  from (select * from headrace.trigger
         where ($1::int is null or tenant_id = $1) and ($2::text is null or name = $2)
           and ($3::text is null or definition_id = (select id from headrace.definition where key = $3))
           and ($4::text is null or trigger_type = $4) and ($5::boolean is null or enabled = $5)
           and ($10 or $1 is not null or tenant_id is distinct from (select headrace._system_tenant()))
           and ($6::text is null or event = $6) and ($7::text is null or (name, id) > ($7, $8::uuid))
         order by name, id limit $9) as t
  join headrace.tenant on tenant.id = t.tenant_id
  join headrace.definition as d on d.id = t.definition_id
  left join lateral (select (select emitted_at from headrace.delivery join headrace.event on event.id = delivery.event_id
                              where delivery.trigger_id = t.id and delivery.outcome = 'fired'
                              order by delivery.event_id desc limit 1) as at,
                            (select sum(fires)::bigint from headrace.event_fires where trigger_id = t.id) as fires) as event on true
 order by t.name, t.id

-- name: find_tenant
select headrace._tenant_id($1)

-- What a trigger is called and whose it is; also one that was deleted.
-- name: name_of_trigger
select known.name, tenant.name
  from (select name, tenant_id, 'infinity'::timestamptz as until from headrace.trigger where id = $1
        union all
        select name, tenant_id, deleted_at from headrace.deleted_trigger where id = $1 and $3) as known
  join headrace.tenant on tenant.id = known.tenant_id
 where $2::int is null or tenant.id = $2
 order by until desc limit 1

-- name: list_fires
select due_at, outcome, reason, detail, until, n, job_id, triggered_by, occasion, at
  from headrace.fire
 where trigger_id = $1 and ($3::timestamptz is null or (due_at, at, occasion) < ($3, $4::timestamptz, $5::text))
 order by due_at desc, at desc, occasion desc limit $2

-- name: find_trigger
select id
  from (select id, 'infinity'::timestamptz as until from headrace.trigger
         where tenant_id = headrace._tenant_id($1) and name = $2
        union all
        select id, deleted_at from headrace.deleted_trigger where tenant_id = headrace._tenant_id($1) and name = $2) as known
 order by until desc limit 1

-- name: list_deliveries
select e.id, e.name, e.emitted_at, d.outcome, d.reason, d.detail, d.job_id
  from headrace.delivery as d
  join headrace.event as e on e.id = d.event_id
 where (d.trigger_id, d.event_id) in (
         select trigger_id, event_id from headrace.delivery
          where trigger_id = $1 and ($3::uuid is null or event_id < $3) order by event_id desc limit $2)
 -- Ids are times to the millisecond only.
 order by e.emitted_at desc
