-- Once for each name, whoever comes first; what became of it later is the operator's affair. One that misses its time catches
-- up, and none runs beside itself.
-- name: make_schedule
with first as (
  insert into headrace.default_schedule (name) values ($1) on conflict do nothing returning name
)
insert into headrace.trigger (tenant_id, name, definition_id, cron, payload, overlap, created_by)
select headrace._system_tenant(), first.name, definition.id, $3, $4::jsonb, 'skip', 'headrace'
  from first join headrace.definition on definition.key = $2
on conflict (tenant_id, name) do nothing
returning id
