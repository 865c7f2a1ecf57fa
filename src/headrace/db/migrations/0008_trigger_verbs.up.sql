-- Schedules for people who write SQL. Every change is a change of a row, so a plain INSERT or UPDATE does as well.

-- What is wrong with a cron rule, or null. A date that never comes only the scheduler finds out.
create function headrace._cron_problem(rule text) returns text language plpgsql immutable strict as $$
declare
  fields constant text[] := array['minute', 'hour', 'day of month', 'month', 'day of week'];
  lows constant int[] := array[0, 0, 1, 1, 0];
  highs constant int[] := array[59, 23, 31, 12, 7];
  months constant text[] := array['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
  weekdays constant text[] := array['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
  -- Without zeros before a number, as many as there are.
  words text[] := regexp_split_to_array(regexp_replace(upper(btrim(rule, E' \t\n\r\f\x0B')), '\m0+([0-9])', '\1', 'g'), '\s+');
  term text;
  word text;
  parts text[];
  value int;
begin
  if length(rule) > 200 then
    return format('it has %s characters; at most 200 are allowed', length(rule));
  elsif words <@ array['@YEARLY', '@ANNUALLY', '@MONTHLY', '@WEEKLY', '@DAILY', '@MIDNIGHT', '@HOURLY'] and cardinality(words) = 1 then
    return null;
  elsif cardinality(words) <> 5 then
    return format('it has %s fields and not five: minute, hour, day of month, month, day of week', cardinality(words));
  end if;
  for i in 1..5 loop
    foreach term in array string_to_array(words[i], ',') loop
      continue when i = 3 and term in ('L', 'LW');
      continue when i = 5 and (term ~ '^[0-7]L$' or term ~ '^([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)#[1-5]$');
      parts := regexp_match(term, '^(?:\*|([A-Z0-9]{1,5})(?:-([A-Z0-9]{1,5}))?)(?:/([0-9]{1,5}))?$');
      if parts is null then
        return format('the %s "%s" is not valid', fields[i], term);
      elsif parts[3]::int not between 1 and highs[i] then
        return format('the %s "%s" is not valid: a step is 1 to %s', fields[i], term, highs[i]);
      end if;
      foreach word in array array_remove(parts[1:2], null) loop
        value := case when word ~ '^[0-9]+$' then word::int
                      when i = 4 then array_position(months, word)
                      when i = 5 then array_position(weekdays, word) - 1 end;
        if value is null or value not between lows[i] and highs[i] then
          return format('the %s "%s" is not valid: it takes %s to %s', fields[i], term, lows[i], highs[i]);
        end if;
      end loop;
    end loop;
  end loop;
  return null;
end $$;

create function headrace._check_zone(zone text) returns void language plpgsql stable as $$
begin
  -- By its exact name: "at time zone" also takes abbreviations and offsets, which the scheduler does not.
  if zone = 'UTC' or exists (select from pg_timezone_names as known where known.name = zone and zone !~ '^(posix|right)/') then
    return;
  end if;
  raise exception 'there is no time zone "%"', zone using errcode = 'HR400', hint = 'Use a name such as Europe/Berlin or UTC.';
end $$;

-- A schedule by name, made or changed; gives back its id. One that is disabled stays so unless enabled is said.
create function headrace.schedule(
  name text, definition text, cron text default null, timezone text default 'UTC', payload jsonb default '{}',
  tenant text default 'default', every interval default null, catch_up text default 'latest', overlap text default 'allow',
  max_attempts int default null, enabled boolean default null
) returns uuid language plpgsql as $$
declare
  for_tenant_id constant int := headrace._tenant_id(tenant);
  def constant headrace.definition := headrace._runnable(definition);
  problem constant text := headrace._cron_problem(cron);
  trigger_id uuid;
begin
  if (cron is null) = (every is null) then
    raise exception 'schedule "%" needs either cron or every', name using errcode = 'HR400';
  elsif problem is not null then
    raise exception 'cron rule "%" of schedule "%": %', left(cron, 200), name, problem using errcode = 'HR400';
  elsif every < interval '0.1 seconds' then
    raise exception 'schedule "%": every must be 0.1 seconds or more, not %', name, every using errcode = 'HR400';
  elsif catch_up not in ('none', 'latest', 'all') then
    raise exception 'schedule "%": catch_up is one of none, latest, all, not "%"', name, catch_up using errcode = 'HR400';
  elsif overlap not in ('allow', 'skip', 'queue_one', 'cancel_running') then
    raise exception 'schedule "%": overlap is one of allow, skip, queue_one, cancel_running, not "%"', name, overlap
      using errcode = 'HR400';
  end if;
  perform headrace._check_zone(timezone);
  insert into headrace.trigger as t (tenant_id, name, definition_id, cron_expr, interval_seconds, timezone, payload, catch_up,
                                     overlap, max_attempts, enabled, created_by)
  values (for_tenant_id, schedule.name, def.id, cron, extract(epoch from every), schedule.timezone,
          coalesce(schedule.payload, '{}'), schedule.catch_up, schedule.overlap, schedule.max_attempts,
          coalesce(schedule.enabled, true), session_user)
  on conflict on constraint trigger_tenant_id_name_key do update
     set definition_id = excluded.definition_id, trigger_type = 'schedule', cron_expr = excluded.cron_expr,
         interval_seconds = excluded.interval_seconds, timezone = excluded.timezone, payload = excluded.payload,
         catch_up = excluded.catch_up, overlap = excluded.overlap, max_attempts = excluded.max_attempts,
         enabled = coalesce(schedule.enabled, t.enabled), event_name = null, condition = null
  returning t.id into trigger_id;
  return trigger_id;
end $$;

-- True when there was one of that name. Its history stays.
create function headrace.unschedule(name text, tenant text default 'default') returns boolean language plpgsql as $$
declare
  for_tenant_id constant int := headrace._tenant_id(tenant);
begin
  if exists (select from headrace.trigger as t
              where t.tenant_id = for_tenant_id and t.name = unschedule.name and t.declared is not null
                and t.deleted_from_code_at is null) then
    raise exception 'trigger "%" is declared in code, which would bring it back', name using errcode = 'HR409',
      hint = 'Disable it, or remove it from the code.';
  end if;
  delete from headrace.trigger as t where t.tenant_id = for_tenant_id and t.name = unschedule.name;
  return found;
end $$;

create function headrace._trigger_or_error(wanted text, tenant text) returns headrace.trigger language plpgsql stable as $$
declare t headrace.trigger;
begin
  select * into t from headrace.trigger where tenant_id = headrace._tenant_id(tenant) and name = wanted;
  if t.id is null then
    raise exception 'unknown trigger "%" of tenant "%"', wanted, tenant using errcode = 'HR404';
  end if;
  return t;
end $$;

-- A job of a trigger that is live, if there is one. Where the trigger does not care its jobs do not carry its id: then
-- among the newest.
create function headrace._live_job_of(of_trigger_id uuid) returns uuid language sql stable as $$
  (select job_id from headrace.queue where overlap_id = of_trigger_id limit 1)
  union all
  (select job_id from headrace.queue
    where job_id = any(array(select job_id from headrace.fire where trigger_id = of_trigger_id and outcome = 'fired'
                              order by due_at desc limit 100))
    limit 1)
  limit 1
$$;

-- Runs a trigger now, also one that is disabled. With overlap 'skip' not while a job of it is live. A lock first and
-- then a look: a statement that waited for the lock would still look with its old snapshot.
create function headrace._run_now(of_trigger_id uuid, with_payload jsonb, with_overlap text, by_whom text)
returns headrace.fire language plpgsql as $$
declare
  t headrace.trigger;
  def headrace.definition;
  lane int;
  result headrace.fire;
begin
  select * into t from headrace.trigger where id = of_trigger_id for no key update;
  if t.id is null then
    raise exception 'unknown trigger "%"', of_trigger_id using errcode = 'HR404';
  end if;
  def := headrace._runnable((select key from headrace.definition where id = t.definition_id));
  perform headrace._refuse_secrets(def, array[with_payload]);
  result.trigger_id := t.id;
  result.due_at := clock_timestamp();
  result.occasion := gen_random_uuid();
  result.at := result.due_at;
  result.triggered_by := 'manual';
  result.outcome := 'fired';
  if with_overlap = 'skip' then
    result.job_id := headrace._live_job_of(t.id);
    if result.job_id is not null then
      result.outcome := 'skipped';
      result.reason := 'overlap';
    end if;
  end if;
  if result.outcome = 'fired' then
    result.job_id := (headrace._job_ids(1))[1];
    lane := headrace._lane(coalesce(t.queue, def.queue), def.id);
    insert into headrace.queue (job_id, tenant_id, lane_id, status, queued_at, priority, max_attempts, overlap_id)
    values (result.job_id, t.tenant_id, lane, 'queued', now(), coalesce(t.priority, def.priority),
            coalesce(t.max_attempts, def.max_attempts), case when t.overlap <> 'allow' then t.id end);
    insert into headrace.job (id, tenant_id, definition_id, lane_id, priority, max_attempts, payload, source, source_ref,
                              scheduled_for, created_at, created_by)
    values (result.job_id, t.tenant_id, def.id, lane, coalesce(t.priority, def.priority),
            coalesce(t.max_attempts, def.max_attempts), with_payload, 'manual', t.id, result.due_at, now(), by_whom);
    update headrace.trigger set runs = runs + 1, last_run_at = result.due_at where id = t.id;
    perform headrace._wake_workers();
  end if;
  insert into headrace.fire select (result).*;
  return result;
end $$;

-- {"success": true, "job_id": …, "name": …}; not, with the reason, while a job of it is live and the trigger minds that.
create function headrace.trigger(name text, tenant text default 'default') returns jsonb language plpgsql as $$
declare
  t constant headrace.trigger := headrace._trigger_or_error(name, tenant);
  ran headrace.fire;
begin
  if t.trigger_type = 'event' then
    raise exception 'trigger "%" waits for the event "%"', name, t.event_name using errcode = 'HR409',
      hint = 'Publish it with headrace.emit.';
  elsif t.payload::text like '%{{%' then
    raise exception 'the payload of trigger "%" has placeholders, which SQL alone cannot fill in', name
      using errcode = 'HR409', hint = 'Run it from Python, from the command line or over the API.';
  end if;
  ran := headrace._run_now(t.id, t.payload, case when t.overlap = 'allow' then 'allow' else 'skip' end, session_user);
  return jsonb_strip_nulls(jsonb_build_object(
    'success', ran.outcome = 'fired', 'job_id', ran.job_id, 'name', t.name, 'reason', ran.reason));
end $$;
