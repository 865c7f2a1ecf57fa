-- Schedules for people who write SQL. Every change is a change of a row, so a plain INSERT or UPDATE does as well.

-- Names that the scheduler takes. These three, and those of the two folders, mean something else on every machine.
create or replace function headrace._zones() returns setof text language sql stable as $$
  select name from pg_timezone_names
   where name not in ('Factory', 'localtime', 'posixrules') and name !~ '^(posix|right)/'
   union
  select 'UTC'
$$;

create or replace function headrace._check_zone(zone text) returns void language plpgsql stable as $$
begin
  -- By its exact name: "at time zone" also takes abbreviations and offsets, which the scheduler does not.
  if zone = 'UTC' or zone in (select headrace._zones()) then
    return;
  end if;
  raise exception 'there is no time zone "%"', zone using errcode = 'HR400', hint = 'Use a name like Europe/Berlin or UTC.';
end $$;

-- What is wrong with what schedule was given, or null: what the scheduler would turn off, and what the table would refuse.
-- A template that cannot be compiled and a payload that does not fit its definition only Python finds out.
create or replace function headrace._schedule_problem(
  name text, cron text, every interval, payload jsonb, catch_up text, overlap text, max_attempts int
) returns text language plpgsql immutable as $$
declare problem text;
begin
  if (cron is null) = (every is null) then
    return 'it needs either cron or every';
  elsif length(name) not between 1 and 200 or name is null then
    return 'a name has 1 to 200 characters';
  elsif cron is not null then
    problem := headrace._cron_problem(cron);
    if problem is not null then
      return format('its cron rule "%s" is not valid: %s', left(cron, 200), problem);
    end if;
  elsif not extract(epoch from every) between 0.1 and 3162240000 then
    return format('every must be 0.1 seconds or more and at most 100 years, not %s', every);
  end if;
  if catch_up is null or catch_up not in ('none', 'latest', 'all') then
    return format('catch_up is one of none, latest, all, not "%s"', coalesce(catch_up, 'null'));
  elsif overlap is null or overlap not in ('allow', 'skip', 'queue_one', 'cancel_running') then
    return format('overlap is one of allow, skip, queue_one, cancel_running, not "%s"', coalesce(overlap, 'null'));
  elsif max_attempts not between 1 and 1000 then
    return format('max_attempts %s is out of range (1 to 1000)', max_attempts);
  elsif jsonb_typeof(payload) <> 'object' then
    return format('its payload must be a JSON object of arguments, not %s', jsonb_typeof(payload));
  elsif pg_column_size(payload) > 1000000 or octet_length(payload::text) > 1000000 then
    return 'its payload is too large (at most 1,000,000 characters of JSON)';
  end if;
  -- The bounds of templates, which are narrower than those of jobs.
  return 'its payload cannot be read back: ' || headrace._json_problem(payload, 20, 400);
end $$;

-- Refuses what was just written if the tenant has more triggers, or more text in their payloads, than processes that serve all
-- tenants can hold. What code declares and plain INSERTs are the operator's own matter.
create or replace function headrace._check_trigger_amount(of_tenant_id int, added boolean) returns void language plpgsql as $$
declare
  most constant int := 10000;
  most_text constant int := 50000000;
begin
  if added and (select count(*) from headrace.trigger where tenant_id = of_tenant_id) > most then
    raise exception 'there are % triggers already, which is the most of one tenant', most using errcode = 'HR409',
      hint = 'Delete a trigger first.';
  elsif (select sum(length(payload::text)) from headrace.trigger where tenant_id = of_tenant_id) > most_text then
    raise exception 'the payloads of all triggers would have more than % characters of JSON, which is the most of one tenant', most_text
      using errcode = 'HR409', hint = 'Delete a trigger first, or make its payload smaller.';
  end if;
end $$;

-- A schedule by name, made or changed; gives back its id. One that a person disabled stays so unless enabled is said; one that
-- an error stopped is tried again.
create or replace function headrace.schedule(
  name text, definition text, cron text default null, timezone text default 'UTC', payload jsonb default '{}',
  tenant text default 'default', every interval default null, catch_up text default 'latest', overlap text default 'allow',
  max_attempts int default null, enabled boolean default null
) returns uuid language plpgsql as $$
declare
  for_tenant_id int;
  def headrace.definition;
  problem constant text := headrace._schedule_problem(name, cron, every, payload, catch_up, overlap, max_attempts);
  broken text;
  trigger_id uuid;
  added boolean;
begin
  if headrace._by_integrator() then
    return headrace._own_schedule(name, definition, cron, timezone, payload, tenant, every, catch_up, overlap, max_attempts, enabled);
  end if;
  for_tenant_id := headrace._tenant_id(tenant);
  def := headrace._runnable(definition, for_tenant_id);
  if problem is not null then
    raise exception 'schedule "%": %', left(name, 200), problem using errcode = 'HR400',
      hint = 'Nothing was changed. Correct the value and call headrace.schedule again.';
  elsif cardinality(def.secret_fields) > 0 then
    raise exception 'a trigger cannot enqueue "%": a trigger has no key to encrypt %', definition,
      array_to_string(def.secret_fields, ', ') using errcode = 'HR409', hint = 'Enqueue the job from Python or over the API, which have the key.';
  end if;
  perform headrace._check_zone(timezone);
  insert into headrace.trigger as t (tenant_id, name, definition_id, cron, every_seconds, timezone, payload, catch_up,
                                     overlap, max_attempts, enabled, created_by)
  values (for_tenant_id, schedule.name, def.id, schedule.cron, extract(epoch from every), schedule.timezone,
          coalesce(schedule.payload, '{}'), schedule.catch_up, schedule.overlap, schedule.max_attempts,
          coalesce(schedule.enabled, true), session_user)
  on conflict on constraint trigger_tenant_id_name_key do update
     set definition_id = excluded.definition_id, trigger_type = 'schedule', cron = excluded.cron,
         every_seconds = excluded.every_seconds, timezone = excluded.timezone, payload = excluded.payload,
         catch_up = excluded.catch_up, overlap = excluded.overlap, max_attempts = excluded.max_attempts,
         enabled = coalesce(schedule.enabled, t.enabled or (t.stopped_at is not null and t.last_error is not null and t.pause_note is null)),
         event = null, condition = null,
         stopped_at = case when schedule.enabled is false then null else t.stopped_at end
  returning t.id, t.xmax = 0 into trigger_id, added;
  perform headrace._check_trigger_amount(for_tenant_id, added);
  return trigger_id;
exception when check_violation then
  -- Settings that SQL does not give, and which the trigger has from elsewhere.
  get stacked diagnostics broken = constraint_name;
  raise exception 'schedule "%" would not fit its other settings: %', name, replace(broken, '_', ' ') using errcode = 'HR400',
    hint = 'Change its jitter, start or end first, with "headrace schedules update".';
end $$;

-- True when there was one of that name. Its history stays.
create or replace function headrace.unschedule(name text, tenant text default 'default') returns boolean language plpgsql as $$
declare
  for_tenant_id int;
begin
  if headrace._by_integrator() then
    return headrace._own_unschedule(name, tenant);
  end if;
  for_tenant_id := headrace._tenant_id(tenant);
  if exists (select from headrace.trigger as t
              where t.tenant_id = for_tenant_id and t.name = unschedule.name and t.declared is not null
                and t.deleted_from_code_at is null) then
    raise exception 'trigger "%" is declared in code, which would bring it back', name using errcode = 'HR409',
      hint = 'Disable the trigger, or remove it from the code.';
  end if;
  delete from headrace.trigger as t where t.tenant_id = for_tenant_id and t.name = unschedule.name;
  return found;
end $$;
