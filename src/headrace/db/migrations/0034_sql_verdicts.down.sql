create or replace function headrace.schedule(
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

create or replace function headrace.trigger(name text, tenant text default 'default') returns jsonb language plpgsql as $$
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

create or replace function headrace._parse_function(
  function text, out in_schema text, out called text, out signature text
) language plpgsql stable as $$
declare
  parts constant text[] := regexp_match(btrim(function, E' \t\n\r'), '^(.*?)\s*(\(\s*(?:(?:pg_catalog\.)?jsonb)?\s*\))?$', 'i');
  words text[];
begin
  begin
    words := parse_ident(parts[1]);
  exception when invalid_parameter_value then  -- left null
  end;
  if words is null or cardinality(words) > 2 then
    raise exception '"%" does not name a function', left(function, 200) using errcode = 'HR400',
      hint = 'Write name, schema.name or schema.name(jsonb), as in SQL: a name with capitals or blanks in double quotes. '
             'A SQL job''s function takes nothing or one jsonb.';
  end if;
  words := words::name[]::text[];
  in_schema := case when cardinality(words) = 2 then words[1] end;
  called := words[cardinality(words)];
  signature := case when parts[2] ~* 'jsonb' then '(jsonb)' when parts[2] is not null then '()' end;
end $$;

create or replace function headrace.emit(
  name text, data jsonb default '{}', tenant text default 'default', correlation_id text default null
) returns uuid language plpgsql as $$
declare
  for_tenant_id constant int := headrace._tenant_id(tenant);
  event_id uuid;
begin
  if name is null or name !~ '^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$' or length(name) > 200 then
    raise exception 'the event name "%" is not valid', left(name, 200) using errcode = 'HR400',
      hint = 'Words of A-Z a-z 0-9 _ - with dots between them, such as provider.folder.updated; at most 200 characters.';
  elsif data is null or jsonb_typeof(data) <> 'object' then
    raise exception 'the data of event "%" must be a JSON object', name using errcode = 'HR400';
  elsif pg_column_size(data) > 1048576 then
    raise exception 'the data of event "%" is too large (at most 1 MB)', name using errcode = 'HR413',
      hint = 'Store it elsewhere and pass a reference.';
  end if;
  event_id := (headrace._job_ids(1))[1];
  insert into headrace.event (id, tenant_id, name, data, correlation_id)
  values (event_id, for_tenant_id, emit.name, emit.data, emit.correlation_id);
  insert into headrace.event_inbox (event_id, tenant_id) values (event_id, for_tenant_id);
  if (select armed from headrace.event_watch) then
    perform pg_notify('headrace', 'events');
  end if;
  return event_id;
end $$;

create or replace function headrace._enqueue(
  definition text, payloads jsonb[], tenant text, queue text, priority int, scheduled_for timestamptz,
  dedupe_keys text[], idempotency_keys text[], correlation_id text, max_attempts int, dedupe_while text,
  source text, source_ref uuid, created_by text
) returns uuid[] language plpgsql as $$
declare
  n constant int := coalesce(cardinality(payloads), 0);
  due constant timestamptz := case when scheduled_for > clock_timestamp() then scheduled_for end;
  def headrace.definition;
  for_tenant_id int;
  lane int;
  gated boolean;
  gates bigint[];
  ids uuid[];
  result uuid[];
begin
  if n = 0 then return '{}'; end if;
  perform headrace._check_request(payloads, priority, max_attempts, dedupe_keys, idempotency_keys, dedupe_while);
  def := headrace._runnable(definition);
  perform headrace._refuse_secrets(def, payloads);
  for_tenant_id := headrace._tenant_id(tenant);
  lane := headrace._lane(coalesce(queue, def.queue), def.id);
  ids := headrace._job_ids(n);
  gated := headrace._gated(lane, for_tenant_id);
  if gated and def.concurrency_key is not null then
    gates := array(select headrace._gate_key(payload, def.concurrency_key)
                     from unnest(payloads) with ordinality as given (payload, ordinal) order by ordinal);
  elsif gated then
    gates := array_fill(0::bigint, array[n]);
  end if;
  result := ids;

  if idempotency_keys is not null then
    result := headrace._settle_idempotency(for_tenant_id, idempotency_keys, ids,
      (select array_agg(sha256(convert_to(def.key || ' ' || payload::text, 'UTF8')) order by ordinal)
         from unnest(payloads) with ordinality as given (payload, ordinal)));
  end if;

  if dedupe_keys is null and idempotency_keys is null then
    insert into headrace.queue (job_id, tenant_id, lane_id, status, run_at, queued_at, priority, max_attempts, gate)
    select id, for_tenant_id, lane, (case when due is null then 'queued' else 'scheduled' end)::headrace.job_status,
           due, case when due is null then now() end, coalesce(_enqueue.priority, def.priority),
           coalesce(_enqueue.max_attempts, def.max_attempts), gate
      from unnest(ids, gates) as given (id, gate);
  else
    result := headrace._insert_keyed(for_tenant_id, lane, due, coalesce(priority, def.priority)::smallint,
      coalesce(max_attempts, def.max_attempts)::smallint, ids, result, gates, dedupe_keys, dedupe_while = 'waiting');
    -- Two requests of this call may share an idempotency key whose job a dedupe key then gave to an earlier one.
    result := (select array_agg(coalesce(owner.holder, given.holder) order by ordinal)
                 from unnest(result) with ordinality as given (holder, ordinal)
                 left join unnest(ids, result) as owner (id, holder) on owner.id = given.holder);
    update headrace.idempotency as held set job_id = wanted.holder
      from unnest(idempotency_keys, ids, result) as wanted (key, id, holder)
     where held.tenant_id = for_tenant_id and held.key = wanted.key and held.job_id = wanted.id and wanted.holder <> wanted.id;
  end if;

  insert into headrace.job (id, tenant_id, definition_id, lane_id, priority, max_attempts, payload, source, source_ref,
                            correlation_id, dedupe_key, dedupe_waiting, idempotency_key, scheduled_for, created_at, created_by)
  select id, for_tenant_id, def.id, lane, coalesce(_enqueue.priority, def.priority),
         coalesce(_enqueue.max_attempts, def.max_attempts), payload, _enqueue.source, _enqueue.source_ref,
         _enqueue.correlation_id, dedupe_key, _enqueue.dedupe_while = 'waiting', idempotency_key,
         _enqueue.scheduled_for, now(), _enqueue.created_by
    from unnest(ids, payloads, result, dedupe_keys, idempotency_keys) as given (id, payload, holder, dedupe_key, idempotency_key)
   where id = holder;

  if due is null then
    perform headrace._wake_workers();
  elsif due < clock_timestamp() + interval '6 seconds' then
    -- Promoters sleep for at most 5 seconds; whatever is due later they find by themselves.
    perform pg_notify('headrace', 'due');
  end if;
  return result;
end $$;

create or replace function headrace._check_request(
  payloads jsonb[], priority int, max_attempts int, dedupe_keys text[], idempotency_keys text[], dedupe_while text
) returns void language plpgsql immutable as $$
begin
  if cardinality(payloads) > 100000 then
    raise exception 'too many jobs in one call: % (at most 100000)', cardinality(payloads) using errcode = 'HR400';
  elsif priority not between 0 and 1000 then
    raise exception 'priority % is out of range (0 to 1000, lower runs first)', priority using errcode = 'HR400';
  elsif max_attempts not between 1 and 1000 then
    raise exception 'max_attempts % is out of range (1 to 1000)', max_attempts using errcode = 'HR400';
  elsif dedupe_while is null or dedupe_while not in ('live', 'waiting') then
    raise exception 'dedupe_while must be "live" or "waiting", not "%"', dedupe_while using errcode = 'HR400';
  elsif cardinality(dedupe_keys) <> cardinality(payloads) or cardinality(idempotency_keys) <> cardinality(payloads) then
    raise exception 'give one key (or null) for each of the % payloads', cardinality(payloads) using errcode = 'HR400';
  elsif exists (select from unnest(dedupe_keys || idempotency_keys) as key where length(key) not between 1 and 500) then
    raise exception 'a dedupe or idempotency key has 1 to 500 characters' using errcode = 'HR400';
  elsif exists (select from unnest(payloads) as payload where payload is null or jsonb_typeof(payload) <> 'object') then
    raise exception 'a payload must be a JSON object of arguments' using errcode = 'HR400';
  elsif exists (select from unnest(payloads) as payload where pg_column_size(payload) > 1048576) then
    raise exception 'a payload is too large (at most 1 MB)' using errcode = 'HR413', hint = 'Store it elsewhere and pass a reference.';
  end if;
end $$;

create or replace function headrace._check_zone(zone text) returns void language plpgsql stable as $$
begin
  -- By its exact name: "at time zone" also takes abbreviations and offsets, which the scheduler does not.
  if zone = 'UTC' or exists (select from pg_timezone_names as known where known.name = zone and zone !~ '^(posix|right)/') then
    return;
  end if;
  raise exception 'there is no time zone "%"', zone using errcode = 'HR400', hint = 'Use a name such as Europe/Berlin or UTC.';
end $$;

create or replace function headrace._cron_problem(rule text) returns text language plpgsql immutable strict as $$
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

drop function headrace._schedule_problem, headrace._refuse_payloads, headrace._json_problem, headrace._zones,
  headrace._cron_has_a_day, headrace._cron_values, headrace._cron_term_problem, headrace._cron_value;
