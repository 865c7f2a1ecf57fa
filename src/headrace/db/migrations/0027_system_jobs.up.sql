-- Jobs that ship with Headrace. Their definitions are marked, and what they do belongs to a tenant of their own: so no other
-- tenant's list, count or quota knows of them, and only a super-admin can be at work for it.

alter table headrace.definition add column system boolean not null default false;

alter table headrace.tenant
  add column system boolean not null default false,
  drop constraint tenant_name_check,
  -- A name that nobody else can have.
  add constraint tenant_name_check check (
    case when system then name = '_headrace' else name ~ '^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99}$' end);
insert into headrace.tenant (name, title, system) values ('_headrace', 'Headrace itself', true);

create function headrace._system_tenant() returns int language sql stable parallel safe as $$
  select id from headrace.tenant where system
$$;

-- Which schedules of built-in jobs were ever made. What an operator changed or deleted is not made again.
create table headrace.default_schedule (
  name         text primary key,
  inserted_at  timestamptz not null default now()
);

-- As before; and to a tenant there are no system jobs.
create or replace function headrace._runnable(wanted text) returns headrace.definition language plpgsql stable as $$
declare def headrace.definition;
begin
  select * into def from headrace.definition where key = wanted;
  if def.id is null or (def.system and headrace._current_tenant() is not null
                        and not exists (select from headrace.tenant where id = headrace._current_tenant() and system)) then
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

-- A system job is fired for the system's tenant alone, whoever writes the trigger. As the owner, for a tenant sees itself only.
create function headrace._refuse_system_job() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.tenant_id <> headrace._system_tenant()
     and exists (select from headrace.definition where id = new.definition_id and system) then
    raise exception 'unknown definition "%"', (select key from headrace.definition where id = new.definition_id)
      using errcode = 'HR404', hint = 'Triggers of system jobs belong to the tenant "_headrace".';
  end if;
  return new;
end $$;
create trigger refuse_system_job before insert or update of definition_id, tenant_id on headrace.trigger
  for each row execute function headrace._refuse_system_job();
