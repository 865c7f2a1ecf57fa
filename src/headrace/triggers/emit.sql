-- name: emit
select headrace.emit(cast($1 as text), cast($2 as jsonb), cast($3 as text), cast($4 as text))
