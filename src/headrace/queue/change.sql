-- name: cancel
select headrace.cancel($1)

-- name: retry
select headrace.retry($1)
