-- name: read_cursor_key
select key from headrace.cursor_key
