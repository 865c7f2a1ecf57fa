-- name: owns_schema
select coalesce((select pg_has_role(nspowner, 'usage') from pg_catalog.pg_namespace where nspname = 'headrace'), true)

-- name: look_at_login
select current_user::text, pg_get_userbyid(nspowner)::text,
       case when has_schema_privilege('headrace', 'usage')
            then coalesce(has_table_privilege(to_regclass('headrace.definition'), 'insert'), false) end
  from pg_catalog.pg_namespace where nspname = 'headrace'
