-- name: now
select clock_timestamp()

-- A tenant's statement ends after 30 seconds, also one that waits for a lock, for its connection is one of a few.
-- A super-admin who acts for a tenant is not bound to the queues and priorities that the tenant itself may choose.
-- name: confine
select set_config('role', 'headrace_tenant', true), set_config('headrace.tenant_id', $1, true),
       set_config('headrace.any_place', case when $2 then 'on' else '' end, true), set_config('statement_timeout', '30s', true)

-- What is made in this transaction is part of that trace.
-- name: carry_trace
select set_config('headrace.trace_context', $1, true)

-- name: find_tenant
select id from headrace.tenant where name = $1

-- name: audit
insert into headrace.audit (who, role, action, tenant_id, target, detail) values ($1, $2, $3, $4, $5, $6)
