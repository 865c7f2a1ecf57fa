-- The SQL API for a login that is bound to one tenant. It has no right to write to any table: each verb notices that, and goes
-- through its door here, which has the owner's rights and acts for that tenant alone. By the login (session_user), which neither a
-- setting nor SET ROLE changes.
create or replace function headrace._by_integrator() returns boolean language sql stable as $$
  select not has_table_privilege('headrace.queue'::regclass, 'insert')
$$;

-- Lets a login act for a tenant, and for no other; the owner of the schema calls it. The login also needs headrace_integrator.
create or replace function headrace.bind_login(login text, tenant text) returns void language plpgsql as $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = bind_login.login) then
    raise exception 'unknown role "%"', login using errcode = 'HR404', hint = 'Create the login first.';
  elsif exists (select from headrace.tenant as t where t.name = bind_login.tenant and t.system) then
    raise exception 'unknown tenant "%"', tenant using errcode = 'HR404';
  end if;
  insert into headrace.integrator (login, tenant_id) values (bind_login.login, headrace._tenant_id(bind_login.tenant))
  on conflict on constraint integrator_pkey do update set tenant_id = excluded.tenant_id, bound_at = now(), bound_by = session_user;
end $$;

-- True when the login was bound.
create or replace function headrace.unbind_login(login text) returns boolean language plpgsql as $$
begin
  delete from headrace.integrator as i where i.login = unbind_login.login;
  return found;
end $$;

-- The name of the tenant for which the login may act; what follows in the transaction is that tenant's. The default is its own.
create or replace function headrace._own_tenant(wanted text) returns text language plpgsql as $$
declare own headrace.tenant;
begin
  select t.* into own from headrace.tenant as t where t.id = headrace._bound_tenant();
  if own.id is null then
    raise exception 'the login "%" is bound to no tenant', session_user using errcode = 'HR404',
      hint = 'The owner of the schema headrace binds it: select headrace.bind_login(''login'', ''tenant'').';
  elsif wanted is distinct from 'default' and wanted is distinct from own.name then
    raise exception 'unknown tenant "%"', wanted using errcode = 'HR404', hint = format('This login acts for "%s".', own.name);
  end if;
  perform set_config('headrace.tenant_id', own.id::text, true), set_config('headrace.any_place', '', true);
  return own.name;
end $$;

create or replace function headrace._own_job(wanted uuid) returns uuid language plpgsql as $$
begin
  if not exists (select from headrace.job where id = wanted and tenant_id = headrace._tenant_id(headrace._own_tenant('default'))) then
    raise exception 'unknown job "%"', wanted using errcode = 'HR404';
  end if;
  return wanted;
end $$;

-- Queue and priority are those that the tenant may choose (place.sql); whose the job is, is not the caller's to say.
create or replace function headrace._own_enqueue(
  definition text, payloads jsonb[], tenant text, queue text, priority int, scheduled_for timestamptz,
  dedupe_keys text[], idempotency_keys text[], correlation_id text, max_attempts int, dedupe_while text
) returns uuid[] language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return headrace._enqueue(definition, payloads, headrace._own_tenant(tenant), queue, priority, scheduled_for, dedupe_keys,
    idempotency_keys, correlation_id, max_attempts, dedupe_while, 'sql', null, session_user);
end $$;

create or replace function headrace._own_emit(name text, data jsonb, tenant text, correlation_id text) returns uuid
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select headrace.emit(name, data, headrace._own_tenant(tenant), correlation_id)
$$;

create or replace function headrace._own_emit_once(
  name text, data jsonb, idempotency_key text, tenant text, correlation_id text, out event_id uuid, out created boolean
) language sql security definer set search_path = pg_catalog, pg_temp as $$
  select * from headrace._emit_once(name, data, idempotency_key, headrace._own_tenant(tenant), correlation_id)
$$;

create or replace function headrace._own_cancel(job_id uuid) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$ select headrace.cancel(headrace._own_job(job_id)) $$;

create or replace function headrace._own_retry(job_id uuid) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$ select headrace.retry(headrace._own_job(job_id)) $$;

create or replace function headrace._own_schedule(
  name text, definition text, cron text, timezone text, payload jsonb, tenant text, every interval, catch_up text, overlap text,
  max_attempts int, enabled boolean
) returns uuid language sql security definer set search_path = pg_catalog, pg_temp as $$
  select headrace.schedule(name, definition, cron, timezone, payload, headrace._own_tenant(tenant), every, catch_up, overlap,
    max_attempts, enabled)
$$;

create or replace function headrace._own_unschedule(name text, tenant text) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select headrace.unschedule(name, headrace._own_tenant(tenant))
$$;

create or replace function headrace._own_trigger(name text, tenant text) returns jsonb
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select headrace.trigger(name, headrace._own_tenant(tenant))
$$;

-- Whose SQL jobs a caller defines: a bound login only those of its tenant, and takes none of others.
create or replace function headrace._sql_app() returns text language sql stable as $$
  select coalesce((select 'sql of ' || t.name from headrace.tenant as t where t.id = headrace._bound_tenant()), 'sql')
$$;

-- A worker runs the function as its own role of SQL jobs: the login must have the right to execute it itself.
create or replace function headrace._own_define_sql_job(
  key text, function text, description text, timeout_seconds float8, max_attempts int, settings jsonb
) returns uuid language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  own constant text := headrace._own_tenant('default');
  p constant pg_proc := headrace._sql_job_function(function);
begin
  -- What everyone may execute, others wrote for their own jobs: as a job it runs with the rights of the worker's role.
  if not exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as x
                  where x.privilege_type = 'EXECUTE' and x.grantee <> 0 and pg_has_role(session_user, x.grantee, 'usage')) then
    raise exception 'permission denied for function %', p.oid::regprocedure using errcode = '42501',
      hint = format('The login "%s" of "%s" needs EXECUTE on the function that its job runs, granted to the login and not to PUBLIC.',
                    session_user, own);
  elsif not starts_with(key, own || '.') then
    raise exception 'the key "%" does not begin with "%."', left(key, 200), own using errcode = 'HR400',
      hint = 'A login that is bound to a tenant defines jobs under the name of its tenant.';
  elsif settings ?| '{queue,priority,tenants}' then
    raise exception 'queue, priority and tenants of a SQL job of a tenant are not its own to set' using errcode = 'HR400';
  end if;
  return headrace.define_sql_job(key, function, description, timeout_seconds, max_attempts,
                                 settings || jsonb_build_object('tenants', jsonb_build_array(own)));
end $$;

create or replace function headrace._own_undefine_sql_job(key text) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select headrace.undefine_sql_job(key) where headrace._own_tenant('default') is not null
$$;
revoke all on function headrace._own_enqueue, headrace._own_emit, headrace._own_emit_once, headrace._own_cancel, headrace._own_retry,
  headrace._own_schedule, headrace._own_unschedule, headrace._own_trigger, headrace._own_define_sql_job, headrace._own_undefine_sql_job
  from public;
