-- One that another app registered is left alone, unless it is for the same definition, which has one app.
-- name: register_trigger
insert into headrace.trigger as t (tenant_id, name, definition_id, app, every_seconds, starts_at, payload, overlap)
select own.id, $2, (headrace._runnable($3, own.id)).id, $5, new.every_seconds, new.starts_at, new.payload, new.overlap
  from headrace._tenant_id($1) as own (id), jsonb_populate_record(null::headrace.trigger, $4) as new
on conflict (tenant_id, name) do update
   set definition_id = excluded.definition_id, app = excluded.app, every_seconds = excluded.every_seconds,
       starts_at = case when $4::jsonb ->> 'starts_at' is null then t.starts_at else excluded.starts_at end,
       payload = excluded.payload, overlap = excluded.overlap
 where t.app like '% at run time' and (t.app = excluded.app or t.definition_id = excluded.definition_id)
returning t.id

-- name: unregister_trigger
delete from headrace.trigger
 where tenant_id = headrace._tenant_id($1) and name = $2 and app like '% at run time'
returning id
