-- Triggers that wait for these events, or did before they were turned off, as far as they may hand on a secret: by the words
-- of the definition's schema ($3) or by names in their payload ($4).
-- name: read_listeners
select t.tenant_id, t.event, t.name, t.payload, d.payload_schema
  from unnest($1::int[], $2::text[]) as asked (tenant_id, event)
  join headrace.trigger as t
    on t.trigger_type = 'event' and t.tenant_id = asked.tenant_id and t.event = asked.event
  join headrace.definition as d on d.id = t.definition_id
 where d.payload_schema::text ~ $3 or t.payload::text ~* $4
