-- name: schema_of
select payload_schema::text from headrace.definition where key = $1 and kind = 'command' and deleted_from_code_at is null

-- name: enqueue
select headrace.enqueue($1, $2::jsonb, tenant => $3, idempotency_key => $4, source => 'alert')
