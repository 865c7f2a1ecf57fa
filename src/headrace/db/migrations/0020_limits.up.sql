-- What may run at once, how often it may start, what stands still, and who shares a queue how.

alter table headrace.definition
  add column max_concurrency          int check (max_concurrency between 1 and 1000000),
  add column concurrency_key          text check (concurrency_key ~ '^\[?\s*[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*(\s*,\s*[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*)*\s*\]?$'),
  add column max_concurrency_per_key  int check (max_concurrency_per_key between 1 and 1000000),
  add column rate_limit               int check (rate_limit between 1 and 1000000),
  add column rate_period_seconds      double precision not null default 1 check (rate_period_seconds between 0.001 and 31536000),
  add column rate_burst               int check (rate_burst between 1 and 1000000),
  add column rate_per_key             boolean not null default false,
  add constraint per_key_needs_a_key check (concurrency_key is not null or (max_concurrency_per_key is null and not rate_per_key)),
  add constraint burst_needs_a_rate check (rate_limit is not null or rate_burst is null),
  add column limited boolean generated always as (num_nonnulls(max_concurrency, max_concurrency_per_key, rate_limit) > 0) stored;

alter table headrace.tenant
  add column max_running int check (max_running between 1 and 1000000),
  -- Its share of a queue that is shared fairly: with 3 it gets three jobs for each one of a tenant with 1.
  add column weight int not null default 1 check (weight between 1 and 1000);

-- What an operator has set of a queue; a queue without a row has the defaults.
create table headrace.queue_setting (
  queue           text primary key check (queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  max_running     int check (max_running between 1 and 1000000),
  fair            boolean not null default false,
  -- Whoever has waited for so long is served as the most urgent are; 0 is never.
  ageing_seconds  int not null default 3600 check (ageing_seconds between 0 and 31536000)
);

-- As queue_pause. The jobs of a paused tenant wait behind gates; a paused definition's lanes are left out.
create table headrace.definition_pause (
  definition_id  int primary key references headrace.definition (id) on delete cascade,
  note           text not null default '',
  paused_at      timestamptz not null default now(),
  paused_by      text not null,
  resume_at      timestamptz
);
create trigger tell_workers after insert or update or delete on headrace.definition_pause
  for each statement execute function headrace._tell_lanes_changed();
create table headrace.tenant_pause (
  tenant_id  int primary key references headrace.tenant (id) on delete cascade,
  note       text not null default '',
  paused_at  timestamptz not null default now(),
  paused_by  text not null,
  resume_at  timestamptz
);

-- What each part of the schema gives the tenants' role stands in a function of its own, and all of them are called.
create function headrace._grant_limits_to_tenants() returns void language plpgsql as $$
begin
  grant select on headrace.queue_setting, headrace.definition_pause, headrace.tenant_pause to headrace_tenant;
end $$;
alter table headrace.tenant_pause enable row level security;
create policy own on headrace.tenant_pause using (tenant_id = (select headrace._current_tenant()));

create function headrace._grant_all_to_tenants() returns void language plpgsql as $$
declare name text;
begin
  for name in select proname from pg_proc where pronamespace = 'headrace'::regnamespace
                 and proname ~ '^_grant_([a-z_]+_)?to_tenants$' and proname <> '_grant_all_to_tenants' order by proname loop
    execute format('select headrace.%I()', name);
  end loop;
end $$;

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
    perform headrace._grant_all_to_tenants();
  end if;
  return true;
end $$;

do $$
begin
  if exists (select from pg_roles where rolname = 'headrace_tenant') then
    perform headrace._grant_limits_to_tenants();
  end if;
exception when insufficient_privilege then
  raise notice 'the role headrace_tenant could not be given its rights';
end $$;
