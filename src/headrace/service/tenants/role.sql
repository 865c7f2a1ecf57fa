-- name: ensure
select headrace._ensure_tenant_role(), current_user::text
