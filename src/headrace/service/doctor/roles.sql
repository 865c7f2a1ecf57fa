-- name: sql_jobs
select count(*)::int from headrace.definition where kind = 'sql' and enabled and deleted_from_code_at is null

-- name: needing_a_key
select key from headrace.definition
 where cardinality(secret_fields) > 0 and enabled and deleted_from_code_at is null
 order by key
