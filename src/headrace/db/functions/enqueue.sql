-- Enqueue, in the caller's own transaction. Every client uses these functions, so each rule exists once.

-- Ids of one session are in the order in which they were made, also within one millisecond.
-- Ids are made here and nowhere else: UUIDv7 whose twelve bits after the milliseconds are the fraction of one (RFC 9562,
-- 6.2, method 3), clamped into the partitions there are, so that an enqueue never fails for want of one. In bulk one
-- random base and the ordinal: ordered, and five times cheaper.
create or replace function headrace._job_ids(n int) returns uuid[] language plpgsql volatile as $$
declare
  random constant text := replace(gen_random_uuid()::text, '-', '');
  at timestamptz;
  microseconds bigint;
  prefix text;
begin
  select least(greatest(clock_timestamp(), min(lower_bound)), max(upper_bound) - interval '1 millisecond')
    into at from headrace.partition;
  microseconds := (extract(epoch from at) * 1000000)::bigint;
  prefix := lpad(to_hex(microseconds / 1000), 12, '0') || '7'
    || lpad(to_hex(microseconds % 1000 * 4096 / 1000), 3, '0') || substr(random, 17, 10);
  if n = 1 then
    return array[(prefix || substr(random, 27))::uuid];
  end if;
  return array(select (prefix || lpad(to_hex(ordinal), 6, '0'))::uuid from generate_series(1, n) as ordinal);
end $$;

create or replace function headrace._lane(in_queue text, of_definition_id int) returns int language plpgsql as $$
declare found_id int;
begin
  loop
    select id into found_id from headrace.lane where queue = in_queue and definition_id = of_definition_id;
    exit when found_id is not null;
    -- Here and not before it is looked for: only jobs of the system have lanes there.
    if in_queue = 'headrace' and not exists (select from headrace.definition where id = of_definition_id and system) then
      raise exception 'the queue "headrace" is for the jobs of Headrace itself' using errcode = 'HR400', column = 'queue',
        hint = 'Name another queue, or omit the queue for the definition''s own.';
    end if;
    insert into headrace.lane (queue, definition_id) values (in_queue, of_definition_id)
      on conflict do nothing returning id into found_id;
    exit when found_id is not null;
  end loop;
  return found_id;
end $$;

-- The definition, or a clear error: a job that nothing can run must not be accepted.
-- To a tenant there are no system jobs, and no definitions of other tenants unless a job or trigger of its own names one (known).
create or replace function headrace._runnable(wanted text, for_tenant_id int, known boolean default false)
returns headrace.definition language plpgsql stable as $$
declare
  def headrace.definition;
  barred boolean := false;
begin
  select * into def from headrace.definition where key = wanted;
  if def.tenants is not null then
    barred := not exists (select from headrace.tenant where id = for_tenant_id and name = any(def.tenants));
  end if;
  if def.id is null or (barred and not known and headrace._current_tenant() is not null)
     or (def.system and headrace._current_tenant() is not null
         and not exists (select from headrace.tenant where id = headrace._current_tenant() and system)) then
    raise exception 'unknown definition "%"', wanted using errcode = 'HR404',
      hint = 'Start an app that declares the definition, run "headrace definitions sync", or allow the tenant to run it.';
  elsif barred then
    raise exception 'tenant "%" may not run definition "%"', (select name from headrace.tenant where id = for_tenant_id), wanted
      using errcode = 'HR409', hint = format('Add the tenant to the list: "headrace definitions set %s tenants=…,%s".',
                                             wanted, (select name from headrace.tenant where id = for_tenant_id));
  elsif def.deleted_from_code_at is not null then
    raise exception 'definition "%" was removed from the code', wanted using errcode = 'HR409',
      hint = 'Start an app that still declares the definition, or enqueue another one.';
  elsif not def.enabled then
    raise exception 'definition "%" is disabled', wanted using errcode = 'HR409', hint = 'Enable the definition first.';
  end if;
  return def;
end $$;

-- Refuses what the tables would refuse and what no worker could read. One look at the payloads finds all that may be wrong.
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

-- Which job each idempotency key stands for: the new id where the key is ours, an earlier one otherwise. Inserted in
-- key order, so two callers cannot deadlock; a second caller waits for the first, then sees its job or takes its place.
-- Planned anew each time: a plan made while the table was empty is ruinous once it is full.
create or replace function headrace._settle_idempotency(
  for_tenant_id int, keys text[], ids uuid[], hashes bytea[]
) returns uuid[] language plpgsql set plan_cache_mode = force_custom_plan as $$
declare settled uuid[];
begin
  loop
    insert into headrace.idempotency (tenant_id, key, job_id, request_hash)
    select distinct on (wanted.key) for_tenant_id, wanted.key, wanted.id, wanted.hash
      from unnest(keys, ids, hashes) with ordinality as wanted (key, id, hash, ordinal)
     where wanted.key is not null
     order by wanted.key, ordinal
    on conflict do nothing;
    -- A statement of its own, so that it sees what the other caller committed meanwhile.
    if exists (select from unnest(keys, hashes) as wanted (key, hash)
                 join headrace.idempotency as held on held.tenant_id = for_tenant_id and held.key = wanted.key
                where held.request_hash <> wanted.hash) then
      raise exception 'idempotency key "%" was used before with another definition or payload',
        (select wanted.key from unnest(keys, hashes) as wanted (key, hash)
           join headrace.idempotency as held on held.tenant_id = for_tenant_id and held.key = wanted.key
          where held.request_hash <> wanted.hash limit 1)
        using errcode = 'HR409', hint = 'Use a new key for a new request.';
    end if;
    select array_agg(case when wanted.key is null then wanted.id else held.job_id end order by ordinal) into settled
      from unnest(keys, ids) with ordinality as wanted (key, id, ordinal)
      left join headrace.idempotency as held on held.tenant_id = for_tenant_id and held.key = wanted.key;
    exit when array_position(settled, null) is null;
  end loop;
  return settled;
end $$;

create or replace function headrace._refuse_secrets(def headrace.definition, payloads jsonb[]) returns void language plpgsql as $$
declare field text;
begin
  if cardinality(def.secret_fields) = 0 then
    return;
  end if;
  foreach field in array def.secret_fields loop
    if exists (select from unnest(payloads) as payload
                where payload ? field and (jsonb_typeof(payload -> field) <> 'object' or not payload -> field ? '$enc')) then
      raise exception 'field "%" of definition "%" is secret and must come encrypted', field, def.key
        using errcode = 'HR400', hint = 'Enqueue the job from Python or over the API, which have the key.';
    end if;
  end loop;
end $$;

-- What every client calls: checks, then the idempotency rows, then _insert_jobs.
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
  ids uuid[];
  result uuid[];
begin
  if n = 0 then return '{}'; end if;
  if headrace._by_integrator() then
    return headrace._own_enqueue(definition, payloads, tenant, queue, priority, scheduled_for, dedupe_keys, idempotency_keys,
      correlation_id, max_attempts, dedupe_while);
  end if;
  if scheduled_for not between '1900-01-01Z' and '9000-01-01Z' then
    raise exception 'scheduled_for % is out of range: a job is due between the years 1900 and 9000', scheduled_for
      using errcode = 'HR400', hint = 'Omit scheduled_for for a job that may run at once.';
  elsif queue !~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$' then
    raise exception 'the queue "%" is not a valid name', left(queue, 200) using errcode = 'HR400',
      hint = 'A queue''s name has 1 to 100 of A-Z a-z 0-9 _ . : - and starts with a letter or digit.';
  elsif length(correlation_id) > 500 then
    raise exception 'a correlation id has at most 500 characters, not %', length(correlation_id) using errcode = 'HR400';
  elsif source is null then
    raise exception 'source may not be null' using errcode = 'HR400', hint = 'Name the origin of the job, for example sql, or omit source.';
  end if;
  perform headrace._check_request(payloads, priority, max_attempts, dedupe_keys, idempotency_keys, dedupe_while);
  for_tenant_id := headrace._tenant_id(tenant);
  def := headrace._runnable(definition, for_tenant_id);
  perform headrace._refuse_secrets(def, payloads);
  if queue is not null or priority is not null then
    perform headrace._check_place(def, queue, priority);
  end if;
  lane := headrace._lane(coalesce(queue, def.queue), def.id);
  ids := headrace._job_ids(n);
  result := ids;

  if idempotency_keys is not null then
    result := headrace._settle_idempotency(for_tenant_id, idempotency_keys, ids,
      (select array_agg(sha256(convert_to(def.key || ' ' || payload::text, 'UTF8')) order by ordinal)
         from unnest(payloads) with ordinality as given (payload, ordinal)));
  end if;

  result := headrace._insert_jobs(def, ids, for_tenant_id, lane, payloads, priority, max_attempts, due => due,
    settled => case when idempotency_keys is not null then result end,
    dedupe_keys => dedupe_keys, waiting_only => dedupe_while = 'waiting', idempotency_keys => idempotency_keys,
    from_source => source, source_refs => case when source_ref is not null then array_fill(source_ref, array[n]) end,
    correlation_ids => case when correlation_id is not null then array_fill(correlation_id, array[n]) end,
    scheduled_fors => case when scheduled_for is not null then array_fill(scheduled_for, array[n]) end,
    by_whom => created_by);
  if idempotency_keys is not null and dedupe_keys is not null then
    -- Two requests of this call may share an idempotency key whose job a dedupe key then gave to an earlier one.
    result := (select array_agg(coalesce(owner.holder, given.holder) order by ordinal)
                 from unnest(result) with ordinality as given (holder, ordinal)
                 left join unnest(ids, result) as owner (id, holder) on owner.id = given.holder);
    update headrace.idempotency as held set job_id = wanted.holder
      from unnest(idempotency_keys, ids, result) as wanted (key, id, holder)
     where held.tenant_id = for_tenant_id and held.key = wanted.key and held.job_id = wanted.id and wanted.holder <> wanted.id;
  end if;
  return result;
end $$;

create or replace function headrace.enqueue(
  definition text, payload jsonb default '{}', tenant text default 'default', queue text default null,
  priority int default null, scheduled_for timestamptz default null, dedupe_key text default null,
  idempotency_key text default null, correlation_id text default null, max_attempts int default null,
  dedupe_while text default 'live', source text default 'sql', source_ref uuid default null, created_by text default null
) returns uuid language sql as $$
  select (headrace._enqueue(definition, array[coalesce(payload, '{}')], tenant, queue, priority, scheduled_for,
    case when dedupe_key is not null then array[dedupe_key] end,
    case when idempotency_key is not null then array[idempotency_key] end,
    correlation_id, max_attempts, dedupe_while, source, source_ref, created_by))[1]
$$;

-- One id for each payload, in order. Keys, where given, are one (or null) for each payload.
create or replace function headrace.enqueue_many(
  definition text, payloads jsonb[], tenant text default 'default', queue text default null,
  priority int default null, scheduled_for timestamptz default null, dedupe_keys text[] default null,
  idempotency_keys text[] default null, correlation_id text default null, max_attempts int default null,
  dedupe_while text default 'live', source text default 'sql', source_ref uuid default null, created_by text default null
) returns setof uuid language sql as $$
  select unnest(headrace._enqueue(definition, payloads, tenant, queue, priority, scheduled_for, dedupe_keys,
    idempotency_keys, correlation_id, max_attempts, dedupe_while, source, source_ref, created_by))
$$;
