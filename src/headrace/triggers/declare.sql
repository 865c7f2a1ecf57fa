-- The app's own triggers and others by the same names, in one order, as everyone locks them.
-- name: lock_declared
select t.id, t.name, t.app, t.declared, t.deleted_from_code_at, d.key as definition, t.payload,
       to_jsonb(t) - 'payload' - 'declared' as settings
  from headrace.trigger as t
  join headrace.definition as d on d.id = t.definition_id
 where t.tenant_id = headrace._tenant_id('default') and (t.app = $1 or t.name = any($2))
 order by t.name
   for update of t

-- name: lock_of_definitions
select t.name
  from headrace.trigger as t
  join headrace.definition as d on d.id = t.definition_id
 where t.tenant_id = headrace._tenant_id('default') and t.app = $1 and d.key = any($2)
 order by t.name
   for update of t

-- name: add_declared
insert into headrace.trigger (name, definition_id, app, declared, {trigger})
select $2, d.id, $3, $5::jsonb, new.{trigger}
  from headrace.definition as d, jsonb_populate_record(null::headrace.trigger, $4) as new
 where d.key = $1

-- name: follow_code
update headrace.trigger as t
   set definition_id = (select id from headrace.definition where key = $2), app = $3, declared = t.declared || $5,
       deleted_from_code_at = null, enabled = t.enabled or $6,
       ({trigger}) = (select new.{trigger} from jsonb_populate_record(t, $4) as new)
 where t.id = $1

-- name: mark_deleted_from_code
update headrace.trigger
   set deleted_from_code_at = now(), enabled = false, pause_note = case when enabled then $3 else pause_note end
 where app = $1 and name = any($2) and deleted_from_code_at is null and tenant_id = headrace._tenant_id('default')
returning name
