do $$
declare
  name text;
begin
  if exists (select from pg_roles where rolname = 'headrace_tenant') then
    execute 'revoke all on all tables in schema headrace from headrace_tenant';
    execute 'revoke all on all sequences in schema headrace from headrace_tenant';
    execute 'revoke all on schema headrace from headrace_tenant';
  end if;
  foreach name in array array['job', 'queue', 'attempt', 'idempotency', 'log', 'trigger', 'deleted_trigger', 'event', 'audit',
                              'operation', 'rollup', 'rollup_hour', 'rollup_total', 'queue_sample', 'progress', 'waiter', 'fire',
                              'fired_once', 'dedupe', 'delivery', 'tenant'] loop
    execute format('drop policy own on headrace.%I', name);
    execute format('alter table headrace.%I disable row level security', name);
  end loop;
end $$;
alter view headrace.queue_depth reset (security_invoker);
alter view headrace.jobs reset (security_invoker);
drop function headrace._ensure_tenant_role;
drop function headrace._grant_to_tenants;
drop function headrace.jobs_ahead;
drop function headrace.own_live_end;
drop function headrace.own_live;
drop function headrace.search_own_log;
drop function headrace._current_tenant;
