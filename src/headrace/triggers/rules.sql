-- name: read_rules
select id, version, name, definition_id, {trigger}
  from headrace.trigger
 where id = any($1)

-- xmin changes with every update of a row: what was compiled from it is then read again.
-- name: read_definitions
select id, xmin::text::bigint as version, queue, priority, max_attempts, tenants,
       case when deleted_from_code_at is not null then 'deleted_from_code' when not enabled then 'definition_disabled'
            when cardinality(secret_fields) > 0 then 'secret_fields' end as obstacle
  from headrace.definition
 where id = any($1)

-- name: read_schemas
select id, xmin::text::bigint as version, payload_schema from headrace.definition where id = any($1)
