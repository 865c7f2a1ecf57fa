-- The roles of the database, and who may do what: this file is the only place that gives a right. Roles belong to the whole server,
-- so databases of one server share them; rights and bindings belong to one database.
--   headrace_tenant      nobody's login: requests for one tenant run as it, behind row-level security
--   headrace_app         applications: enqueue and emit in their own transactions, read jobs, cancel and retry, of all tenants
--   headrace_integrator  others who write SQL for one tenant, to which the login is bound (integrators.sql)
--   headrace_worker      headrace worker: claims, outcomes, lines, schedules, upkeep
--   headrace_server      headrace serve: the API for all roles of tokens, and what workers do
--   headrace_metrics     reads what /metrics shows
create or replace function headrace._roles() returns text[] language sql immutable as $$
  select '{headrace_tenant,headrace_app,headrace_integrator,headrace_worker,headrace_server,headrace_metrics}'::text[]
$$;

-- A letter a right: r select, a insert, w update, d delete, u usage, x execute. An asterisk: of some columns, named below.
-- A table, a view, a sequence, or a function that has more rights than its caller, without a line here fails a test. Partitions
-- have none: their policies would not be asked.
create or replace function headrace._rights() returns table (what text, tenant text, app text, integrator text, worker text, server text, metrics text)
language sql immutable as $$
  values
  --                       tenant  app     integr  worker  server  metrics
  -- jobs
  ('job',                  'ra',   'ra',   'r',    'rad',  'rad',  '-'),
  ('queue',                'rawd', 'rawd', 'r',    'rawd', 'rawd', '-'),
  ('queue_seq',            'u',    'u',    '-',    'u',    'u',    '-'),
  ('attempt',              'raw',  'raw',  'r',    'rawd', 'rawd', '-'),
  ('idempotency',          'raw',  'raw',  '-',    'rawd', 'rawd', '-'),
  ('progress',             'r',    'r',    'r',    'rawd', 'rawd', '-'),
  ('waiter',               'rawd', 'rad',  '-',    'rad',  'rad',  '-'),
  ('partition',            'r',    'r',    '-',    'rw*',  'rw*',  '-'),
  ('operation',            'raw',  '-',    '-',    '-',    'raw',  '-'),
  ('lane',                 'ra',   'ra',   'r',    'rawd', 'rawd', '-'),
  -- workers and definitions
  ('worker',               'r*',   'r*',   'r*',   'rawd', 'rawd', 'r*'),
  ('misfit',               '-',    '-',    '-',    'rawd', 'rawd', '-'),
  ('definition',           'r',    'r',    'r*',   'raw',  'raw',  'r*'),
  ('definition_pause',     'r',    '-',    '-',    'r',    'rawd', '-'),
  ('default_schedule',     '-',    '-',    '-',    'ra',   'ra',   '-'),
  ('sql_setting',          '-',    '-',    '-',    'r',    'r',    '-'),
  -- queues, limits and tenants
  ('queue_setting',        'r',    'r',    '-',    'r',    'rawd', '-'),
  ('queue_pause',          'r',    '-',    '-',    'r',    'rawd', '-'),
  ('queue_share',          '-',    '-',    '-',    'rawd', 'rawd', '-'),
  ('gate_turn',            '-',    '-',    '-',    'w',    'w',    '-'),
  ('rate_bucket',          '-',    '-',    '-',    'rawd', 'rawd', '-'),
  ('regate',               '-',    '-',    '-',    'rawd', 'rawd', '-'),
  ('tenant',               'rw*',  'r',    'r*',   'r',    'raw',  'r*'),
  ('tenant_pause',         'r',    'r',    '-',    'r',    'rawd', '-'),
  -- triggers and events
  ('trigger',              'rawd', 'r',    'r',    'rawd', 'rawd', 'r*'),
  ('deleted_trigger',      'ra',   'r',    'r',    'ra',   'ra',   '-'),
  ('fire',                 'raw',  'r',    'r',    'rawd', 'rawd', '-'),
  ('fired_once',           'raw',  '-',    '-',    'ra',   'ra',   '-'),
  ('dedupe',               'raw',  '-',    '-',    'rawd', 'rawd', '-'),
  ('event',                'ra',   'a',    '-',    'rawd', 'rawd', '-'),
  ('event_inbox',          'a',    'a',    '-',    'rawd', 'rawd', '-'),
  ('event_key',            'raw',  'raw',  '-',    'rawd', 'rawd', '-'),
  ('event_fires',          'r',    '-',    '-',    'rawd', 'rawd', '-'),
  ('event_watch',          'r',    'r',    '-',    'rw',   'rw',   '-'),
  ('delivery',             'raw',  'r',    'r',    'rawd', 'rawd', '-'),
  -- logs and counts
  ('log',                  'r',    '-',    '-',    'rad',  'rad',  '-'),
  ('log_partition',        'r',    '-',    '-',    'rw*',  'rw*',  '-'),
  ('rollup_delta',         'a',    'a',    '-',    'rad',  'rad',  '-'),
  ('rollup',               'r',    '-',    '-',    'rawd', 'rawd', '-'),
  ('rollup_hour',          'r',    '-',    '-',    'rawd', 'rawd', '-'),
  ('rollup_total',         'r',    '-',    '-',    'rawd', 'rawd', 'r'),
  ('rollup_turn',          'r',    '-',    '-',    'rw',   'rw',   'r'),
  ('queue_sample',         'r',    '-',    '-',    'rawd', 'rawd', 'r'),
  -- alerts
  ('alert_rule',           'rawd', '-',    '-',    'rw',   'rawd', '-'),
  ('alert_target',         'rawd', '-',    '-',    'r',    'rawd', '-'),
  ('alert',                'rw',   '-',    '-',    'rawd', 'rawd', '-'),
  ('alert_notice',         'ra',   '-',    '-',    'rawd', 'rawd', '-'),
  ('alert_delivery',       'r',    '-',    '-',    'rawd', 'rawd', '-'),
  ('alert_turn',           '-',    '-',    '-',    'rw',   'rw',   '-'),
  -- who may come in
  ('token',                '-',    '-',    '-',    '-',    'raw',  '-'),
  ('session',              '-',    '-',    '-',    '-',    'rawd', '-'),
  ('sign_in_code',         '-',    '-',    '-',    '-',    'rad',  '-'),
  ('cursor_key',           '-',    '-',    '-',    '-',    'r',    '-'),
  ('audit',                'ra',   '-',    '-',    'a',    'ra',   '-'),
  ('integrator',           '-',    '-',    '-',    '-',    '-',    '-'),
  -- the schema itself
  ('migration',            '-',    'r',    '-',    'r',    'r',    '-'),
  ('function_file',        '-',    'r',    '-',    'r',    'r',    '-'),
  -- views
  ('jobs',                 'r',    'r',    'r',    'r',    'r',    '-'),
  ('queue_depth',          'r',    'r',    'r',    'r',    'r',    '-'),
  ('job_history',          '-',    'r',    'r',    'r',    'r',    '-'),
  ('schedule_status',      '-',    'r',    'r',    'r',    'r',    '-'),
  -- functions with the owner's rights
  ('search_log',           '-',    '-',    '-',    '-',    'x',    '-'),
  ('search_own_log',       'x',    '-',    '-',    '-',    '-',    '-'),
  ('own_live',             'x',    '-',    '-',    '-',    '-',    '-'),
  ('own_live_end',         'x',    '-',    '-',    '-',    '-',    '-'),
  ('jobs_ahead',           'x',    '-',    '-',    '-',    'x',    '-'),
  ('gate_facts',           'x',    '-',    '-',    '-',    'x',    '-'),
  ('_send_notice',         'x',    '-',    '-',    'x',    'x',    '-'),
  ('_delete_expired',      '-',    '-',    '-',    'x',    'x',    '-'),
  ('_make_partitions',     '-',    '-',    '-',    'x',    'x',    '-'),
  ('_make_log_partitions', '-',    '-',    '-',    'x',    'x',    '-'),
  ('_drop_leaving_week',   '-',    '-',    '-',    'x',    'x',    '-'),
  ('_drop_leaving_day',    '-',    '-',    '-',    'x',    'x',    '-'),
  ('_own_enqueue',         '-',    '-',    'x',    '-',    '-',    '-'),
  ('_own_emit',            '-',    '-',    'x',    '-',    '-',    '-'),
  ('_own_emit_once',       '-',    '-',    'x',    '-',    '-',    '-'),
  ('_own_cancel',          '-',    '-',    'x',    '-',    '-',    '-'),
  ('_own_retry',           '-',    '-',    'x',    '-',    '-',    '-'),
  ('_own_schedule',        '-',    '-',    'x',    '-',    '-',    '-'),
  ('_own_unschedule',      '-',    '-',    'x',    '-',    '-',    '-'),
  ('_own_trigger',         '-',    '-',    'x',    '-',    '-',    '-'),
  ('_own_define_sql_job',  '-',    '-',    'x',    '-',    '-',    '-'),
  ('_own_undefine_sql_job', '-',   '-',    'x',    '-',    '-',    '-'),
  ('_may_run',             '-',    'x',    'x',    'x',    'x',    '-'),
  ('_bound_tenant',        'x',    'x',    'x',    'x',    'x',    'x')
$$;

-- The columns that an asterisk stands for.
create or replace function headrace._shown_columns(what text, of_role text) returns text language sql immutable as $$
  select case what || ' ' || of_role
    when 'partition headrace_worker' then 'leaving'
    when 'partition headrace_server' then 'leaving'
    when 'log_partition headrace_worker' then 'leaving'
    when 'log_partition headrace_server' then 'leaving'
    when 'worker headrace_tenant' then 'id, name, state, armed, queues, definitions, concurrency, running, lease_expires_at, heartbeat_at, schemas'
    when 'worker headrace_app' then 'id, name, state, armed, lease_expires_at'
    when 'worker headrace_integrator' then 'id, name'
    when 'worker headrace_metrics' then 'state, lease, heartbeat_at, draining, stopped_at'
    -- To lock the own row, which an enqueue of a tenant with a quota does. The column is generated and cannot be written.
    when 'tenant headrace_tenant' then 'id'
    when 'definition headrace_integrator' then 'id, key, kind, enabled, deleted_from_code_at'
    when 'definition headrace_metrics' then 'id, key'
    when 'tenant headrace_integrator' then 'id, name'
    when 'tenant headrace_metrics' then 'id, name'
    when 'trigger headrace_metrics' then 'enabled, fire_at'
  end
$$;

-- The roles that get their rights: that of tenants, and the others once all of them are there, because only then do the policies of
-- tables name them.
create or replace function headrace._ready_roles() returns text[] language sql stable as $$
  select case when count(*) = cardinality(headrace._roles()) then headrace._roles()
              else coalesce(array_agg(rolname::text) filter (where rolname = 'headrace_tenant'), '{}') end
    from pg_catalog.pg_roles where rolname = any(headrace._roles())
$$;

-- Gives the roles that are ready their rights, and takes what they had beside them.
create or replace function headrace._grant_rights() returns void language plpgsql as $$
declare
  it record;
  object text;
  given text;
begin
  for it in
    select r.what, held.role, held.letters, c.relkind
      from headrace._rights() as r
      left join pg_catalog.pg_class as c on c.oid = to_regclass('headrace.' || quote_ident(r.what))
     cross join lateral unnest(headrace._roles(), array[r.tenant, r.app, r.integrator, r.worker, r.server, r.metrics]) as held (role, letters)
     where held.role = any(headrace._ready_roles())
       and (c.oid is not null or exists (select from pg_catalog.pg_proc
                                          where pronamespace = 'headrace'::regnamespace and proname = r.what))
  loop
    object := case when it.relkind is null then 'function' when it.relkind = 'S' then 'sequence' else 'table' end
              || format(' headrace.%I', it.what);
    given := (
      select string_agg(word || case when strpos(it.letters, letter || '*') > 0
                                     then ' (' || headrace._shown_columns(it.what, it.role) || ')' else '' end, ', ')
        from (values ('r', 'select'), ('a', 'insert'), ('w', 'update'), ('d', 'delete'), ('u', 'usage'), ('x', 'execute'))
               as one (letter, word)
       where strpos(it.letters, letter) > 0);
    execute format('revoke all on %s from %I', object, it.role);
    if given is not null then
      execute format('grant %s on %s to %I', given, object, it.role);
    end if;
  end loop;
  for it in select unnest(headrace._ready_roles()) as role loop
    execute format('grant usage on schema headrace to %I', it.role);
  end loop;
  perform headrace._make_policies();
end $$;

-- Which rows: row-level security holds for all but the owner. The policy "own" of each table shows those of one tenant. These
-- four work for every tenant; and whatever "own" says, an integrator stays with the tenant that its login is bound to.
create or replace function headrace._make_policies() returns void language plpgsql as $$
declare
  -- A role that was dropped, or lost all that it owned, is gone from the policies too. A change of a policy locks its table, so only
  -- those are changed.
  everywhere constant oid[] := array(select oid from pg_catalog.pg_roles
    where rolname in ('headrace_app', 'headrace_worker', 'headrace_server', 'headrace_metrics'));
  integrator constant oid[] := array(select oid from pg_catalog.pg_roles where rolname = 'headrace_integrator');
  it record;
begin
  if cardinality(headrace._ready_roles()) < cardinality(headrace._roles()) then
    return;
  end if;
  for it in
    select c.relname, owned.attname as tenant_column,
           (select polroles from pg_catalog.pg_policy where polrelid = c.oid and polname = 'every_tenant') as for_every,
           (select polroles from pg_catalog.pg_policy where polrelid = c.oid and polname = 'bound') as for_bound
      from pg_catalog.pg_class as c
      left join pg_catalog.pg_attribute as owned
             on owned.attrelid = c.oid and owned.attname = case c.relname when 'tenant' then 'id' else 'tenant_id' end
     where c.relnamespace = 'headrace'::regnamespace and c.relrowsecurity and not c.relispartition
     order by c.relname
  loop
    if not coalesce(it.for_every @> everywhere, false) then
      execute format('%s policy every_tenant on headrace.%I to headrace_app, headrace_worker, headrace_server, headrace_metrics using (true)',
                     case when it.for_every is null then 'create' else 'alter' end, it.relname);
    end if;
    if it.tenant_column is not null and not coalesce(it.for_bound @> integrator, false) then
      execute format('create policy bound on headrace.%I as restrictive to headrace_integrator using (%I = (select headrace._bound_tenant()))',
                     it.relname, it.tenant_column);
    end if;
  end loop;
end $$;

-- Makes what is missing of the roles as far as this login may, and gives rights. An administrator makes the rest: headrace db roles.
create or replace function headrace._ensure_roles() returns void language plpgsql as $$
declare
  role text;
begin
  foreach role in array headrace._roles() loop
    if not exists (select from pg_catalog.pg_roles where rolname = role) then
      begin
        execute format('create role %I nologin', role);
      exception when duplicate_object or unique_violation or insufficient_privilege then  -- another database was first, or we may not
      end;
    end if;
  end loop;
  foreach role in array array[current_user::text, 'headrace_server'] loop
    if not headrace._may_take(role, 'headrace_tenant') then
      begin
        execute format('grant headrace_tenant to %I', role);
      exception when insufficient_privilege or undefined_object or internal_error then  -- or another database is at it
      end;
    end if;
  end loop;
  perform headrace._grant_rights();
end $$;

-- Whether one role may run as another. A creator of a role is its member, but may take it from PostgreSQL 16 on only when it was
-- granted so.
create or replace function headrace._may_take(taker text, role text) returns boolean language sql stable as $$
  select coalesce((select pg_has_role(t.oid, r.oid, case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
                     from pg_catalog.pg_roles as t, pg_catalog.pg_roles as r
                    where t.rolname = taker and r.rolname = _may_take.role), false)
$$;

-- Whether there is something for _ensure_roles to do: a role that we may make, or one that an administrator made.
create or replace function headrace._roles_wait() returns boolean language sql stable as $$
  select exists (
    select from unnest(headrace._roles()) as wanted (name)
      left join pg_catalog.pg_roles as r on r.rolname = wanted.name
     where case when r.oid is null then (select rolsuper or rolcreaterole from pg_catalog.pg_roles where rolname = current_user)
                else wanted.name = any(headrace._ready_roles()) and not has_schema_privilege(r.oid, 'headrace', 'usage') end)
$$;
