-- Triggers that wait for these events, or did before they were turned off, as far as they may hand on a secret: by the words
-- of the definition's schema ($3) or by names in their payload ($4). All those of one name are read or none: names with less
-- text come first, up to $5 characters.
-- name: read_listeners
with listening as materialized (
  select t.tenant_id, t.event, t.name, t.payload, d.payload_schema,
         length(t.payload::text) + length(d.payload_schema::text) as size
    from unnest($1::int[], $2::text[]) as asked (tenant_id, event)
    join headrace.trigger as t
      on t.trigger_type = 'event' and t.tenant_id = asked.tenant_id and t.event = asked.event
    join headrace.definition as d on d.id = t.definition_id
   where d.payload_schema::text ~ $3 or t.payload::text ~* $4
), by_name as (
  select *, sum(size) over (partition by tenant_id, event) as together from listening
), added_up as (
  select *, sum(size) over (order by together, tenant_id, event) <= $5 as fits from by_name
)
select tenant_id, event, name, case when fits then payload end as payload,
       case when fits then payload_schema end as payload_schema
  from added_up
