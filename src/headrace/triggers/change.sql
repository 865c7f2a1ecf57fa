-- name: schema_of
select payload_schema, secret_fields from headrace._runnable($1, headrace._tenant_id($2), known => $3)

-- name: create_trigger
insert into headrace.trigger (
  tenant_id, name, definition_id, enabled, created_by, {trigger})
select own.id, $2, (headrace._runnable($3, own.id)).id, $5, $6, new.{trigger}
  from headrace._tenant_id($1) as own (id), jsonb_populate_record(null::headrace.trigger, $4) as new
returning id

-- name: check_amount
select headrace._check_trigger_amount(tenant_id, $2) from headrace.trigger where id = $1

-- name: lock_trigger
select id from headrace.trigger where tenant_id = headrace._tenant_id($1) and name = $2 for update

-- name: update_trigger
update headrace.trigger as t
   set ({trigger}) = (select new.{trigger} from jsonb_populate_record(t, $2) as new)
 where t.id = $1

-- name: reset_trigger
update headrace.trigger as t
   set ({trigger}) = (select new.{trigger} from jsonb_populate_record(t, t.declared) as new)
 where t.id = $1 and t.declared is not null
returning t.id

-- Whoever turns it off has the word, also over an error that did so before: no edit turns it on then.
-- name: set_enabled
update headrace.trigger
   set enabled = $3, stopped_at = null, pause_note = case when $3 then null else coalesce($4, pause_note) end
 where tenant_id = headrace._tenant_id($1) and name = $2
returning id

-- name: delete_trigger
select headrace.unschedule($1, $2)
