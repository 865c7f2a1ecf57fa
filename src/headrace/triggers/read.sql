-- name: read_triggers
select t.id, $1 as tenant, t.name, d.key as definition, t.enabled, t.pause_note, t.app, t.version, t.starts_at, t.ends_at,
       case when isfinite(t.next_run_at) and t.enabled then t.next_run_at end as next_run_at, t.pending_due_at,
       case when t.trigger_type = 'event' then event.at else t.last_run_at end as last_run_at, t.last_error, t.fires, t.runs,
       t.created_at, t.created_by, to_jsonb(t) as columns
  from headrace.trigger as t
  join headrace.definition as d on d.id = t.definition_id
  left join lateral (select emitted_at as at from headrace.delivery join headrace.event on event.id = delivery.event_id
                      where delivery.trigger_id = t.id and delivery.outcome = 'fired'
                      order by delivery.event_id desc limit 1) as event on t.trigger_type = 'event'
 where t.tenant_id = headrace._tenant_id($1) and ($2::text is null or t.name = $2)
 order by t.name

-- name: list_fires
select due_at, outcome, reason, detail, until, n, job_id, triggered_by, occasion, at
  from headrace.fire
 where trigger_id = $1
 order by due_at desc, at desc limit $2

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
         select trigger_id, event_id from headrace.delivery where trigger_id = $1 order by event_id desc limit $2)
 -- Ids are times to the millisecond only.
 order by e.emitted_at desc
