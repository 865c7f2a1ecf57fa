create or replace function headrace._ensure_tenant_role() returns boolean language plpgsql as $$
begin
  begin
    create role headrace_tenant nologin;
  exception when duplicate_object or unique_violation or insufficient_privilege then
    if not exists (select from pg_roles where rolname = 'headrace_tenant') then
      return false;
    end if;
  end;
  if not pg_has_role(current_user, 'headrace_tenant', 'member') then
    begin
      execute format('grant headrace_tenant to %I', current_user);
    exception when insufficient_privilege then
      return false;
    end;
  end if;
  if not has_schema_privilege('headrace_tenant', 'headrace', 'usage') then
    perform headrace._grant_to_tenants();
  end if;
  return true;
end $$;
drop function headrace._grant_all_to_tenants;
drop function headrace._grant_limits_to_tenants;
drop table headrace.tenant_pause, headrace.definition_pause, headrace.queue_setting;
alter table headrace.tenant drop column weight, drop column max_running;
alter table headrace.definition drop column limited, drop column rate_per_key, drop column rate_burst, drop column rate_period_seconds,
  drop column rate_limit, drop column max_concurrency_per_key, drop column concurrency_key, drop column max_concurrency;
