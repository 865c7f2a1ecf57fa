-- name: payload_schemas
select key, payload_schema from headrace.definition where key = any($1)
