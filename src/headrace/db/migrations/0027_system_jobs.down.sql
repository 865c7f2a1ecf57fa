drop trigger refuse_system_job on headrace.trigger;
drop function headrace._refuse_system_job;
create or replace function headrace._runnable(wanted text) returns headrace.definition language plpgsql stable as $$
declare def headrace.definition;
begin
  select * into def from headrace.definition where key = wanted;
  if def.id is null then
    raise exception 'unknown definition "%"', wanted using errcode = 'HR404',
      hint = 'Definitions come into being when an app that declares them starts, or with "headrace definitions sync".';
  elsif def.deleted_from_code_at is not null then
    raise exception 'definition "%" was removed from the code', wanted using errcode = 'HR409',
      hint = 'Start an app that still declares it, or enqueue another definition.';
  elsif not def.enabled then
    raise exception 'definition "%" is disabled', wanted using errcode = 'HR409', hint = 'Enable it first.';
  end if;
  return def;
end $$;
drop table headrace.default_schedule;
delete from headrace.trigger where tenant_id = headrace._system_tenant();
delete from headrace.deleted_trigger where tenant_id = headrace._system_tenant();
delete from headrace.queue where tenant_id = headrace._system_tenant();
delete from headrace.attempt where tenant_id = headrace._system_tenant();
delete from headrace.job where tenant_id = headrace._system_tenant();
delete from headrace.log where tenant_id = headrace._system_tenant();
delete from headrace.rollup_delta where tenant_id = headrace._system_tenant();
delete from headrace.rollup where tenant_id = headrace._system_tenant();
delete from headrace.rollup_hour where tenant_id = headrace._system_tenant();
delete from headrace.rollup_total where tenant_id = headrace._system_tenant();
delete from headrace.queue_sample where tenant_id = headrace._system_tenant();
delete from headrace.lane where definition_id in (select id from headrace.definition where system);
delete from headrace.definition where system;
drop function headrace._system_tenant;
delete from headrace.tenant where system;
alter table headrace.tenant
  drop constraint tenant_name_check,
  add constraint tenant_name_check check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99}$'),
  drop column system;
alter table headrace.definition drop column system;
