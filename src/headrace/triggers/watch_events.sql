-- name: set_armed
update headrace.event_watch set armed = $1 where armed <> $1
