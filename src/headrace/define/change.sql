-- name: change_definition
update headrace.definition as d
   set (enabled, {definition}) = (select new.enabled, new.{definition} from jsonb_populate_record(d, $2) as new)
 where d.key = $1
returning d.id

-- Workers serve lanes, and the new queue may have none of this definition.
-- name: ensure_lane
select headrace._lane(queue, id) from headrace.definition where key = $1

-- name: define_sql_job
select headrace.define_sql_job($1, $2, $3, settings => $4)

-- name: pause_definition
insert into headrace.definition_pause (definition_id, note, paused_by, resume_at)
select id, $2, $3, $4 from headrace.definition where key = $1
on conflict (definition_id) do update
   set note = excluded.note, paused_by = excluded.paused_by, paused_at = excluded.paused_at, resume_at = excluded.resume_at
returning definition_id

-- name: resume_definition
delete from headrace.definition_pause as p using headrace.definition as d
 where d.key = $1 and p.definition_id = d.id
returning p.resume_at is null or p.resume_at > now()
