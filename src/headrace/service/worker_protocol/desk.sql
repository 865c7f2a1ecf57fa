-- name: find_owner
select principal from headrace.worker where id = $1
