-- name: find_definition
select headrace._asked_definition($1)
