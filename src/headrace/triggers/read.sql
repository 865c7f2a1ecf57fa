-- name: read_triggers
select t.id, $1 as tenant, t.name, d.key as definition, t.enabled, t.pause_note, t.app, t.version, t.starts_at, t.ends_at,
       case when isfinite(t.next_run_at) then t.next_run_at end as next_run_at, t.pending_due_at,
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
