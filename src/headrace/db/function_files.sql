-- name: list_files
select name, checksum from headrace.function_file order by name

-- name: record_file
insert into headrace.function_file (name, checksum) values ($1, $2)
on conflict (name) do update set checksum = excluded.checksum, applied_at = now()

-- Bodies name each other in any order, so none is checked before all are there. A test checks all of them.
-- name: defer_checks
set local check_function_bodies = off

-- Each call makes only what is missing.
-- name: settle
select headrace._create_partitions(), headrace._create_log_partitions()

-- A step or a file may have brought what nobody has a right to yet; and an administrator may have made the roles meanwhile.
-- name: ensure_roles
select headrace._ensure_roles()

-- name: roles_wait
select headrace._roles_wait()
