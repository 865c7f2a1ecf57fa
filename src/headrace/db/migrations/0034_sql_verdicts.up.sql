-- SQL refuses what Python refuses, and what Python could not read. No pattern here has a backslash outside of E'…', so that
-- standard_conforming_strings does not matter.

-- What a word says in a field of a cron rule (1 minute, 2 hour, 3 day of month, 4 month, 5 day of week), or null.
create function headrace._cron_value(field int, word text) returns int language sql immutable as $$
  select value from (select case
      when word ~ '^[0-9]+$' then case when length(ltrim(word, '0')) < 6 then word::numeric::int end
      when field = 4 then array_position(array['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'], word)
      when field = 5 then array_position(array['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'], word) - 1 end as value) as said
   where value between (array[0, 0, 1, 1, 0])[field] and (array[59, 23, 31, 12, 7])[field]
$$;

-- What is wrong with one term of a field, or null.
create function headrace._cron_term_problem(field int, term text) returns text language plpgsql immutable as $$
declare
  high constant int := (array[59, 23, 31, 12, 7])[field];
  takes constant text := format('it takes %s to %s%s, * for any, ranges, lists and steps', (array[0, 0, 1, 1, 0])[field], high,
    (array['', '', ', L (the last day), LW (the last weekday)', ' or JAN to DEC',
           ' or SUN to SAT (0 and 7 are Sunday), 5L (the last Friday), MON#2 (the second Monday)'])[field]);
  parts constant text[] := regexp_match(term, '^(?:[*]|([A-Z0-9]+)(?:-([A-Z0-9]+))?)(?:/([0-9]+))?$');
  first constant int := headrace._cron_value(field, parts[1]);
  last constant int := headrace._cron_value(field, parts[2]);
begin
  if field = 3 and term in ('L', 'LW') or field = 5 and (
       term ~ '^[0-7]L$' or (term ~ '^[A-Z0-9]+#[1-5]$' and headrace._cron_value(5, split_part(term, '#', 1)) is not null)) then
    return null;
  elsif term = '?' then
    return 'write * for any';
  elsif parts is null then
    return takes;
  elsif length(ltrim(parts[3], '0')) > 5 or parts[3]::numeric not between 1 and high then
    return format('a step is 1 to %s', high);
  elsif (first is null and parts[1] is not null) or (last is null and parts[2] is not null) then
    return takes;
  elsif last < first then
    return 'the range runs backwards; write it as a list or as two ranges';
  elsif last = first and parts[3] is not null then
    return 'a range of one value has no steps';
  end if;
  return null;
end $$;

-- The values of a field that was found right. Of days: -1 the last, -2 the last weekday. Of weekdays: 0 to 6, those from 10
-- on the nth (21 the second Monday), those from 60 on the last.
create function headrace._cron_values(field int, text text) returns int[] language sql immutable as $$
  select array_agg(value) from string_to_table(text, ',') as term,
    lateral (select regexp_match(term, '^(?:[*]|([A-Z0-9]+)(?:-([A-Z0-9]+))?)(?:/([0-9]+))?$') as parts) as plain,
    lateral (
      select case term when 'L' then -1 when 'LW' then -2 end as value where field = 3 and term in ('L', 'LW')
      union all
      select 60 + left(term, 1)::int % 7 where field = 5 and term ~ '^[0-7]L$'
      union all
      select 10 * right(term, 1)::int + headrace._cron_value(5, split_part(term, '#', 1)) % 7 where field = 5 and term like '%#%'
      union all
      select case when field = 5 then value % 7 else value end
        from generate_series(
          coalesce(headrace._cron_value(field, parts[1]), (array[0, 0, 1, 1, 0])[field]),
          case when parts[1] is not null and parts[3] is null then headrace._cron_value(field, coalesce(parts[2], parts[1]))
               else coalesce(headrace._cron_value(field, parts[2]), (array[59, 23, 31, 12, 7])[field]) end,
          coalesce(parts[3]::numeric::int, 1)) as value
       where parts is not null and term not in ('L', 'LW') and not (field = 5 and term ~ '^[0-7]L$')) as said
$$;

-- Whether a day of these years is one that the rule names. Both fields of days must say so where one begins with *, as in
-- Debian's cron; else either does.
create function headrace._cron_has_a_day(days int[], months int[], weekdays int[], both_say boolean, since int, until int)
returns boolean language sql immutable as $$
  select exists (
    select from (
      select date_part('day', day)::int as n, date_part('month', day)::int as month, date_part('dow', day)::int as weekday,
             date_part('day', date_trunc('month', day) + interval '1 month - 1 day')::int as last,
             date_part('dow', date_trunc('month', day) + interval '1 month - 1 day')::int as last_weekday
        from generate_series(make_timestamp(since, 1, 1, 0, 0, 0), make_timestamp(until, 12, 31, 0, 0, 0), interval '1 day') as day
       where date_part('month', day)::int = any(months)) as d,
      lateral (select
        n = any(days) or (n = last and -1 = any(days))
          or (-2 = any(days) and n = last - case last_weekday when 0 then 2 when 6 then 1 else 0 end) as by_day,
        weekday = any(weekdays) or 10 * ((n + 6) / 7) + weekday = any(weekdays)
          or (n + 7 > last and 60 + weekday = any(weekdays)) as by_weekday) as named
    where case when both_say then by_day and by_weekday else by_day or by_weekday end)
$$;

-- What is wrong with a cron rule, or null: Python's verdict, rule by rule.
create or replace function headrace._cron_problem(rule text) returns text language plpgsql immutable strict as $$
declare
  fields constant text[] := array['minute', 'hour', 'day of month', 'month', 'day of week'];
  -- What Python takes for blanks; and "C", in which a capital i has no dot whatever the language.
  said constant text := btrim(translate(upper(rule collate "C"), E'\t\n\x0B\f\r\x1C\x1D\x1E\x1F', repeat(' ', 9)));
  words constant text[] := array_remove(regexp_split_to_array(said, ' +'), '');
  days int[];
  months int[];
  weekdays int[];
  both_say constant boolean := '*' in (left(words[3], 1), left(words[5], 1));
  term text;
  problem text;
begin
  if length(rule) > 200 then
    return format('it has %s characters; at most 200 are allowed', length(rule));
  elsif octet_length(convert_to(rule, 'UTF8')) <> length(rule) then
    return 'it has five fields of ASCII characters';
  elsif cardinality(words) = 1 and said like '@%' then
    return case when said not in ('@YEARLY', '@ANNUALLY', '@MONTHLY', '@WEEKLY', '@DAILY', '@MIDNIGHT', '@HOURLY') then
      format('the shorthand "%s" is not known; there are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly',
             lower(said collate "C")) end;
  elsif cardinality(words) <> 5 then
    return format('it has %s fields and not five: minute, hour, day of month, month, day of week', cardinality(words));
  end if;
  for i in 1..5 loop
    foreach term in array string_to_array(words[i], ',') loop
      problem := headrace._cron_term_problem(i, term);
      if problem is not null then
        return format('the %s "%s" is not valid: %s', fields[i], term, problem);
      end if;
    end loop;
  end loop;
  days := headrace._cron_values(3, words[3]);
  months := headrace._cron_values(4, words[4]);
  weekdays := headrace._cron_values(5, words[5]);
  -- Most rules have a day in every month, and nearly all one in the first year. The calendar repeats itself after 28.
  if not (weekdays @> array[0, 1, 2, 3, 4, 5, 6] and 29 > any(days))
     and not headrace._cron_has_a_day(days, months, weekdays, both_say, 2000, 2000)
     and not headrace._cron_has_a_day(days, months, weekdays, both_say, 2001, 2027) then
    return format('no date ever matches day of month "%s", month "%s" and day of week "%s" together', words[3], words[4], words[5]);
  end if;
  return null;
end $$;

-- Names that the scheduler takes. These three, and those of the two folders, mean something else on every machine.
create function headrace._zones() returns setof text language sql stable as $$
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
  raise exception 'there is no time zone "%"', zone using errcode = 'HR400', hint = 'Use a name such as Europe/Berlin or UTC.';
end $$;

-- Why Python could not read a JSON value, or null. Python takes no whole number of more than 4,300 digits; jsonb writes 1e5000
-- out. To be asked only of what may be so: a value of at most 8 bytes for each level (nothing nests in less), whose text is no
-- longer than a number may be, is fine.
create function headrace._json_problem(value jsonb, deepest int default 200, longest int default 4300) returns text
language plpgsql immutable as $$
declare
  written constant bytea := convert_to(value::text, 'UTF8');
begin
  if jsonb_path_exists(value, format('strict $.**{%s} ? (@.type() == "object" || @.type() == "array")', deepest)::jsonpath) then
    return format('it is nested more than %s deep', deepest);
  -- Looking at every number takes five times as long as looking for digits here and there, which so long a number cannot evade.
  elsif exists (select from generate_series(0, octet_length(written) - 64, longest / 2) as place
                 where get_byte(written, place) between 48 and 57
                   and encode(substring(written from place + 1 for 64), 'escape') ~ '^[0-9]{64}$')
        and jsonb_path_exists(value, format('strict $.** ? (@ >= 1e%s || @ <= -1e%1$s)', longest)::jsonpath) then
    return format('it has a number of more than %s digits', longest);
  end if;
  return null;
end $$;

-- The sentence for payloads of which one will not do; or it returns, for what only seemed to be too deep.
create function headrace._refuse_payloads(payloads jsonb[]) returns void language plpgsql immutable as $$
declare problem text;
begin
  if exists (select from unnest(payloads) as payload where payload is null or jsonb_typeof(payload) <> 'object') then
    raise exception 'a payload must be a JSON object of arguments, not %',
      (select coalesce(jsonb_typeof(payload), 'null') from unnest(payloads) as payload
        where payload is null or jsonb_typeof(payload) <> 'object' limit 1)
      using errcode = 'HR400', hint = 'Pass the arguments by name, such as {"n": 1}.';
  elsif exists (select from unnest(payloads) as payload where pg_column_size(payload) > 1048576) then
    raise exception 'a payload is too large (at most 1 MB)' using errcode = 'HR413', hint = 'Store it elsewhere and pass a reference.';
  end if;
  select said into problem from unnest(payloads) as payload, headrace._json_problem(payload) as said where said is not null limit 1;
  if problem is not null then
    raise exception 'a payload cannot be read back: %', problem using errcode = 'HR400',
      hint = 'Nest it less deep, and pass such a number as text.';
  end if;
end $$;

-- As before; and what a worker could not read. One look at the payloads for all that may be wrong with them.
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
  elsif exists (select from unnest(payloads) as payload
                 where payload is null or jsonb_typeof(payload) <> 'object' or pg_column_size(payload) > 1600
                    or octet_length(payload::text) > 4300) then
    perform headrace._refuse_payloads(payloads);
  end if;
end $$;

-- As before; and times, names and sources that the tables refuse are refused with a sentence.
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
  if scheduled_for not between '1900-01-01Z' and '9000-01-01Z' then
    raise exception 'scheduled_for % is out of range: a job is due between the years 1900 and 9000', scheduled_for
      using errcode = 'HR400', hint = 'Leave it out for a job that may run at once.';
  elsif queue !~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$' then
    raise exception 'the queue "%" is not a valid name', left(queue, 200) using errcode = 'HR400',
      hint = 'A queue''s name has 1 to 100 of A-Z a-z 0-9 _ . : - and starts with a letter or digit.';
  elsif source is null then
    raise exception 'source must be said, or left out' using errcode = 'HR400', hint = 'It says where a job comes from, such as sql.';
  end if;
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

-- As before; and data that no trigger could read is refused.
create or replace function headrace.emit(
  name text, data jsonb default '{}', tenant text default 'default', correlation_id text default null
) returns uuid language plpgsql as $$
declare
  for_tenant_id constant int := headrace._tenant_id(tenant);
  event_id uuid;
  problem text;
begin
  if name is null or name !~ '^[A-Za-z0-9_-]+([.][A-Za-z0-9_-]+)*$' or length(name) > 200 then
    raise exception 'the event name "%" is not valid', left(name, 200) using errcode = 'HR400',
      hint = 'Words of A-Z a-z 0-9 _ - with dots between them, such as provider.folder.updated; at most 200 characters.';
  elsif data is null or jsonb_typeof(data) <> 'object' then
    raise exception 'the data of event "%" must be a JSON object', name using errcode = 'HR400';
  elsif pg_column_size(data) > 1048576 then
    raise exception 'the data of event "%" is too large (at most 1 MB)', name using errcode = 'HR413',
      hint = 'Store it elsewhere and pass a reference.';
  elsif octet_length(data::text) > 400 then
    problem := headrace._json_problem(data);
    if problem is not null then
      raise exception 'the data of event "%" cannot be read back: %', name, problem using errcode = 'HR400',
        hint = 'Nest it less deep, and pass such a number as text.';
    end if;
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

-- As before, whatever standard_conforming_strings is.
create or replace function headrace._parse_function(
  function text, out in_schema text, out called text, out signature text
) language plpgsql stable as $$
declare
  parts constant text[] := regexp_match(btrim(function, E' \t\n\r'), '^(.*?)[[:space:]]*([(][[:space:]]*(?:(?:pg_catalog[.])?jsonb)?[[:space:]]*[)])?$', 'i');
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

-- As before; and a payload that no worker could read is not enqueued.
create or replace function headrace.trigger(name text, tenant text default 'default') returns jsonb language plpgsql as $$
declare
  t constant headrace.trigger := headrace._trigger_or_error(name, tenant);
  problem constant text := headrace._json_problem(t.payload);
  ran headrace.fire;
begin
  if t.trigger_type = 'event' then
    raise exception 'trigger "%" waits for the event "%"', name, t.event_name using errcode = 'HR409',
      hint = 'Publish it with headrace.emit.';
  elsif t.payload::text like '%{{%' then
    raise exception 'the payload of trigger "%" has placeholders, which SQL alone cannot fill in', name
      using errcode = 'HR409', hint = 'Run it from Python, from the command line or over the API.';
  elsif problem is not null then
    raise exception 'the payload of trigger "%" cannot be read back: %', name, problem using errcode = 'HR409',
      hint = 'Give the trigger another payload.';
  end if;
  ran := headrace._run_now(t.id, t.payload, case when t.overlap = 'allow' then 'allow' else 'skip' end, session_user);
  return jsonb_strip_nulls(jsonb_build_object(
    'success', ran.outcome = 'fired', 'job_id', ran.job_id, 'name', t.name, 'reason', ran.reason));
end $$;

-- What is wrong with what schedule was given, or null: what the scheduler would turn off, and what the table would refuse.
-- A template that cannot be compiled and a payload that does not fit its definition only Python finds out.
create function headrace._schedule_problem(
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
      return format('its cron rule "%s" will not do: %s', left(cron, 200), problem);
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

-- A schedule by name, made or changed; gives back its id. One that a person disabled stays so unless enabled is said; one that
-- an error stopped is tried again.
create or replace function headrace.schedule(
  name text, definition text, cron text default null, timezone text default 'UTC', payload jsonb default '{}',
  tenant text default 'default', every interval default null, catch_up text default 'latest', overlap text default 'allow',
  max_attempts int default null, enabled boolean default null
) returns uuid language plpgsql as $$
declare
  for_tenant_id constant int := headrace._tenant_id(tenant);
  def constant headrace.definition := headrace._runnable(definition);
  problem constant text := headrace._schedule_problem(name, cron, every, payload, catch_up, overlap, max_attempts);
  broken text;
  trigger_id uuid;
begin
  if problem is not null then
    raise exception 'schedule "%": %', left(name, 200), problem using errcode = 'HR400',
      hint = 'Nothing was changed. Correct it and call headrace.schedule again.';
  elsif cardinality(def.secret_fields) > 0 then
    raise exception 'a trigger cannot enqueue "%": it has no key to encrypt % with', definition,
      array_to_string(def.secret_fields, ', ') using errcode = 'HR409', hint = 'Enqueue it from Python or over the API, where the key is.';
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
         enabled = coalesce(schedule.enabled, t.enabled or (t.stopped_at is not null and t.last_error is not null and t.pause_note is null)),
         event_name = null, condition = null,
         stopped_at = case when schedule.enabled is false then null else t.stopped_at end
  returning t.id into trigger_id;
  return trigger_id;
exception when check_violation then
  -- Settings that SQL does not give, and which the trigger has from elsewhere.
  get stacked diagnostics broken = constraint_name;
  raise exception 'schedule "%" would not fit its other settings: %', name, replace(broken, '_', ' ') using errcode = 'HR400',
    hint = 'Change its jitter, start or end first, with "headrace schedules update".';
end $$;
