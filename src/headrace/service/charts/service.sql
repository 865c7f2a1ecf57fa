-- name: find_definition
select id from headrace.definition where key = $1
