-- All, or those that a tenant ($7) may run.
-- name: read_definitions
select d.id, d.key, d.kind, d.app, d.description, d.tags, d.payload_schema, d.secret_fields,
       case when d.kind = 'sql' then format('%I.%I%s', d.function_schema, d.function_name, d.function_signature) end as function,
       d.enabled, d.{definition}, p.paused_at, p.paused_by, p.note, p.resume_at,
       d.declared, d.system, d.deleted_from_code_at, d.synced_at,
       array(select w.name from headrace.worker as w where $2 and w.state = 'live'
                and (d.key = any(w.definitions) or (d.kind = 'sql' and '*sql' = any(w.definitions))) order by w.name) as workers
  from headrace.definition as d
  left join headrace.definition_pause as p on p.definition_id = d.id and (p.resume_at is null or p.resume_at > now())
 where ($7::text is null or coalesce($7 = any(d.tenants), true))
   and (not $1 or (d.enabled and d.deleted_from_code_at is null)) and ($3::text is null or d.key = $3)
   and ($4::text is null or d.key > $4)
   and ($6 or not d.system)
 order by d.key limit $5
