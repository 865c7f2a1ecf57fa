-- Ids are times, so the newest come first.
-- name: read_events
select e.id, e.tenant_id, tenant.name as tenant, e.name, e.data, e.correlation_id, e.emitted_at, e.error
  from headrace.event as e join headrace.tenant on tenant.id = e.tenant_id
 where ($1::int is null or e.tenant_id = $1) and ($2::uuid is null or e.id = $2) and ($3::text is null or e.name = $3)
   and ($4::uuid is null or e.id < $4)
 order by e.id desc limit $5

-- How many deliveries each event has, up to $2.
-- name: count_deliveries
select asked.event_id, (select count(*) from (
         select from headrace.delivery as d where d.event_id = asked.event_id limit $2) as some_of_them) as n
  from unnest($1::uuid[]) as asked (event_id)

-- name: read_deliveries
select d.event_id, d.trigger_id, coalesce(t.name, gone.name) as trigger, d.outcome, d.reason, d.detail, d.job_id
  from unnest($1::uuid[]) as asked (event_id)
 cross join lateral (
   select * from headrace.delivery as d where d.event_id = asked.event_id order by d.trigger_id limit $2) as d
  left join headrace.trigger as t on t.id = d.trigger_id
  left join headrace.deleted_trigger as gone on gone.id = d.trigger_id
 order by d.event_id, 3, d.trigger_id
