-- What the event carries of its trace is set first, for this transaction: the record takes it from there.
-- name: emit
with carried as materialized (
  select set_config('headrace.trace_context', coalesce(cast($5 as text), ''), true)
)
select headrace.emit(cast($1 as text), cast($2 as jsonb), cast($3 as text), cast($4 as text)) from carried

-- The same with a key, and whether this call made the event.
-- name: emit_once
with carried as materialized (
  select set_config('headrace.trace_context', coalesce(cast($5 as text), ''), true)
)
select once.event_id, once.created
  from carried
  cross join lateral headrace._emit_once(
    cast($1 as text), cast($2 as jsonb), cast($6 as text), cast($3 as text), cast($4 as text)) as once
