-- name: cancel
select headrace.cancel($1)

-- name: retry
select headrace.retry($1)

-- name: replace
select headrace._replace($1, $2)
