-- Each status by its own partial index, and no further than the bound ($2 or $1). Spelt out, for a comparison with a value
-- could not use them.
-- name: own_ended
select (select count(*)::int from (select from headrace.attempt where tenant_id = $1 and final = 'succeeded' limit $2) as c) as succeeded,
       (select count(*)::int from (select from headrace.attempt where tenant_id = $1 and final = 'failed' limit $2) as c) as failed,
       (select count(*)::int from (select from headrace.attempt where tenant_id = $1 and final = 'canceled' limit $2) as c) as canceled,
       (select count(*)::int from (select from headrace.attempt where tenant_id = $1 and final = 'dead_letter' limit $2) as c) as dead_letter

-- name: all_ended
select (select count(*)::int from (select from headrace.attempt where final = 'succeeded' limit $1) as c) as succeeded,
       (select count(*)::int from (select from headrace.attempt where final = 'failed' limit $1) as c) as failed,
       (select count(*)::int from (select from headrace.attempt where final = 'canceled' limit $1) as c) as canceled,
       (select count(*)::int from (select from headrace.attempt where final = 'dead_letter' limit $1) as c) as dead_letter
