-- name: read_definitions
select d.id, d.key, d.kind, d.app, d.description, d.tags, d.payload_schema, d.secret_fields,
       case when d.kind = 'sql' then format('%I.%I%s', d.function_schema, d.function_name, d.function_signature) end as function,
       d.enabled, d.queue, d.priority, d.max_attempts, d.timeout_seconds, d.retry_base_seconds, d.retry_cap_seconds,
       d.retry_jitter_seconds, d.declared, d.deleted_from_code_at, d.synced_at,
       array(select w.name from headrace.worker as w where $2 and w.state = 'live'
                and (d.key = any(w.definitions) or (d.kind = 'sql' and '*sql' = any(w.definitions))) order by w.name) as workers
  from headrace.definition as d
 where (not $1 or (d.enabled and d.deleted_from_code_at is null)) and ($3::text is null or d.key = $3)
   and ($4::text is null or d.key > $4)
 order by d.key limit $5
