-- name: list_files
select name, checksum from headrace.function_file order by name

-- name: record_file
insert into headrace.function_file (name, checksum) values ($1, $2)
on conflict (name) do update set checksum = excluded.checksum, applied_at = now()

-- Bodies name each other in any order, so none is checked before all are there. A test checks all of them.
-- name: defer_checks
set local check_function_bodies = off

-- What functions make: partitions and the tenants' role. Each call makes only what is missing.
-- name: settle
select headrace._create_partitions(), headrace._create_log_partitions(), headrace._ensure_tenant_role()

-- All rights, for _ensure_tenant_role gives none to a role that has some, and a file may have brought a new function or view.
-- name: grant_rights
do $$
begin
  if exists (select from pg_roles where rolname = 'headrace_tenant') then
    perform headrace._grant_all_to_tenants();
  end if;
exception when insufficient_privilege then
  raise notice 'the role headrace_tenant could not be given its rights';
end $$
