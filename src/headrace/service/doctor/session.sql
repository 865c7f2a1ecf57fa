-- name: session_settings
select name, setting, source from pg_settings where name = any($1) order by name

-- name: who_and_where
select quote_ident(current_user), quote_ident(current_database())
