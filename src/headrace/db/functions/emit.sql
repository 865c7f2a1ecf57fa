-- In the caller's transaction: dispatched if and only if it commits.
-- Refuses data that no trigger could read.
create or replace function headrace.emit(
  name text, data jsonb default '{}', tenant text default 'default', correlation_id text default null
) returns uuid language plpgsql as $$
declare
  for_tenant_id int;
  event_id uuid;
  problem text;
begin
  if headrace._by_integrator() then
    return headrace._own_emit(name, data, tenant, correlation_id);
  end if;
  for_tenant_id := headrace._tenant_id(tenant);
  if name is null or name !~ '^[A-Za-z0-9_-]+([.][A-Za-z0-9_-]+)*$' or length(name) > 200 then
    raise exception 'the event name "%" is not valid', left(name, 200) using errcode = 'HR400',
      hint = 'Words of A-Z a-z 0-9 _ - with dots between them, for example provider.folder.updated; at most 200 characters.';
  elsif data is null or jsonb_typeof(data) <> 'object' then
    raise exception 'the data of event "%" must be a JSON object', name using errcode = 'HR400';
  elsif length(correlation_id) > 500 then
    raise exception 'a correlation id has at most 500 characters, not %', length(correlation_id) using errcode = 'HR400';
  elsif pg_column_size(data) > 1048576 then
    raise exception 'the data of event "%" is too large (at most 1 MB)', name using errcode = 'HR413',
      hint = 'Store the data elsewhere and pass a reference.';
  elsif octet_length(data::text) > 400 then
    problem := headrace._json_problem(data);
    if problem is not null then
      raise exception 'the data of event "%" cannot be read back: %', name, problem using errcode = 'HR400',
        hint = 'Use fewer levels, and pass large numbers as text.';
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

-- As headrace.emit, and whether this call made the event. A second caller waits until the transaction of the first ends.
create or replace function headrace._emit_once(
  name text, data jsonb, idempotency_key text, tenant text, correlation_id text, out event_id uuid, out created boolean
) language plpgsql as $$
#variable_conflict use_column
declare
  for_tenant_id int;
  hash constant bytea := sha256(convert_to(_emit_once.name || ' ' || _emit_once.data::text, 'UTF8'));
  held headrace.event_key;
begin
  if headrace._by_integrator() then
    select o.* into _emit_once.event_id, created from headrace._own_emit_once(name, data, idempotency_key, tenant, correlation_id) as o;
    return;
  end if;
  for_tenant_id := headrace._tenant_id(tenant);
  if idempotency_key is null or length(idempotency_key) not between 1 and 500 then
    raise exception 'an idempotency key has 1 to 500 characters, not %', coalesce(length(idempotency_key), 0) using errcode = 'HR400';
  elsif hash is null then
    perform headrace.emit(_emit_once.name, _emit_once.data, tenant, correlation_id);  -- says what is missing
  end if;
  loop
    insert into headrace.event_key (tenant_id, key, request_hash) values (for_tenant_id, idempotency_key, hash)
    on conflict do nothing;
    created := found;
    if created then
      _emit_once.event_id := headrace.emit(_emit_once.name, _emit_once.data, tenant, correlation_id);
      update headrace.event_key as k set event_id = _emit_once.event_id where k.tenant_id = for_tenant_id and k.key = idempotency_key;
      return;
    end if;
    -- A statement of its own, so that it sees what the other caller committed meanwhile.
    select * into held from headrace.event_key as k where k.tenant_id = for_tenant_id and k.key = idempotency_key;
    -- None: the event was just pruned, and the key is free.
    exit when held.key is not null;
  end loop;
  if held.request_hash <> hash then
    raise exception 'idempotency key "%" was used before with another event name or data', idempotency_key
      using errcode = 'HR409', hint = 'Use a new key for a new request.';
  end if;
  _emit_once.event_id := held.event_id;
end $$;

-- The same key gives the same event; with another name or other data it is an error.
create or replace function headrace.emit_once(
  name text, data jsonb, idempotency_key text, tenant text default 'default', correlation_id text default null
) returns uuid language sql as $$
  select event_id from headrace._emit_once(name, data, idempotency_key, tenant, correlation_id)
$$;
