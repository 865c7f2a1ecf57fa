-- A job that some limit concerns stands behind a gate (queue.gate is not null): it is in no index that an ordinary claim
-- reads, so a million of them cost the others nothing.

-- gate: null where no limit concerns the job; else 0, or what its definition's concurrency_key makes of its payload.
-- With lane and tenant it is the group in which the job waits.
alter table headrace.queue add column gate bigint;
drop index headrace.queue_claim;
create index queue_claim on headrace.queue (lane_id, priority, seq) where status = 'queued' and not suspect and gate is null;
create index queue_gated on headrace.queue (lane_id, tenant_id, gate, priority, seq) where status = 'queued' and gate is not null;
create index queue_gated_running on headrace.queue (lane_id, tenant_id, gate) where status = 'running' and gate is not null;

-- Jobs that were there before a limit concerned them are marked one by one. Until a sweep has been through (swept), nothing
-- of that definition, queue or tenant is claimed; until every transaction that did not know of the limit has ended, only what is marked.
create table headrace.regate (
  id             int generated always as identity primary key,
  definition_id  int,
  queue          text,
  tenant_id      int,
  since          xid8 not null default pg_current_xact_id(),
  swept          boolean not null default false,
  constraint of_one_thing check (num_nonnulls(definition_id, queue, tenant_id) = 1)
);

create function headrace._limits_changed() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'definition' then
    if not new.limited then
      delete from headrace.regate where definition_id = new.id;
    elsif not old.limited or new.concurrency_key is distinct from old.concurrency_key then
      insert into headrace.regate (definition_id) values (new.id);
    end if;
  elsif tg_table_name = 'queue_setting' then
    if not (new.fair or new.max_running is not null) then
      delete from headrace.regate where queue = new.queue;
    elsif tg_op = 'INSERT' or not (old.fair or old.max_running is not null) then
      insert into headrace.regate (queue) values (new.queue);
    end if;
  elsif tg_table_name = 'tenant_pause' then
    insert into headrace.regate (tenant_id) values (new.tenant_id);
  elsif new.max_running is not null and old.max_running is null then
    insert into headrace.regate (tenant_id) values (new.id);
  elsif new.max_running is null and not exists (select from headrace.tenant_pause where tenant_id = new.id) then
    delete from headrace.regate where tenant_id = new.id;
  end if;
  perform pg_notify('headrace', 'lanes');
  return null;
end $$;
create trigger limits_changed after update of max_concurrency, concurrency_key, max_concurrency_per_key, rate_limit,
  rate_period_seconds, rate_burst, rate_per_key on headrace.definition
  for each row when ((new.max_concurrency, new.concurrency_key, new.max_concurrency_per_key, new.rate_limit, new.rate_period_seconds,
                      new.rate_burst, new.rate_per_key)
    is distinct from (old.max_concurrency, old.concurrency_key, old.max_concurrency_per_key, old.rate_limit, old.rate_period_seconds,
                      old.rate_burst, old.rate_per_key))
  execute function headrace._limits_changed();
create trigger limits_changed after insert or update on headrace.queue_setting
  for each row execute function headrace._limits_changed();
create trigger limits_changed after update of max_running, weight on headrace.tenant
  for each row when ((new.max_running, new.weight) is distinct from (old.max_running, old.weight))
  execute function headrace._limits_changed();
create trigger limits_changed after insert on headrace.tenant_pause
  for each row execute function headrace._limits_changed();
create trigger tell_workers after update or delete on headrace.tenant_pause
  for each statement execute function headrace._tell_lanes_changed();

-- The key of a payload as a number: paths such as "provider.id", or several as "[provider.id, folder]". What is missing
-- is a key like any other.
create function headrace._gate_key(payload jsonb, concurrency_key text) returns bigint language sql immutable as $$
  select case when concurrency_key is null then 0 else
    hashtextextended((select jsonb_agg(payload #> string_to_array(trim(path), '.') order by place)::text
                        from string_to_table(trim(concurrency_key, '[] '), ',') with ordinality as named (path, place)), 0) end
$$;

create function headrace._gated(of_lane_id int, of_tenant_id int) returns boolean language sql stable as $$
  select d.limited or s.fair is true or s.max_running is not null
         or exists (select from headrace.tenant where id = of_tenant_id and max_running is not null)
         or exists (select from headrace.tenant_pause where tenant_id = of_tenant_id)
    from headrace.lane as l
    join headrace.definition as d on d.id = l.definition_id
    left join headrace.queue_setting as s on s.queue = l.queue
   where l.id = of_lane_id
$$;

-- The gate behind which a new job of this lane and tenant waits, if any.
create function headrace._gate(of_lane_id int, of_tenant_id int, payload jsonb) returns bigint language sql stable as $$
  select case when headrace._gated(of_lane_id, of_tenant_id) then headrace._gate_key(payload, (
    select concurrency_key from headrace.lane join headrace.definition as d on d.id = definition_id where lane.id = of_lane_id)) end
$$;

-- As before, but for the gate.
drop function headrace._insert_keyed;
create function headrace._insert_keyed(
  for_tenant_id int, lane int, due timestamptz, with_priority smallint, with_max_attempts smallint,
  ids uuid[], settled uuid[], gates bigint[], keys text[], waiting_only boolean
) returns uuid[] language plpgsql set plan_cache_mode = force_custom_plan as $$
declare result uuid[];
begin
  loop
    insert into headrace.queue (job_id, tenant_id, lane_id, status, run_at, queued_at, priority, max_attempts,
                                gate, dedupe_key, dedupe_waiting)
    select id, for_tenant_id, lane, (case when due is null then 'queued' else 'scheduled' end)::headrace.job_status,
           due, case when due is null then now() end, with_priority, with_max_attempts, gate, key, waiting_only
      from (select distinct on (coalesce(given.key, given.id::text)) given.id, given.gate, given.key
              from unnest(ids, settled, gates, keys) with ordinality as given (id, holder, gate, key, ordinal)
             where given.id = given.holder
             order by coalesce(given.key, given.id::text), ordinal) as mine
     order by key, id
    on conflict do nothing;
    select array_agg(case when given.id <> given.holder or given.key is null then given.holder else live.job_id end
                     order by ordinal) into result
      from unnest(ids, settled, keys) with ordinality as given (id, holder, key, ordinal)
      -- The newest: under REPEATABLE READ a holder that has ended is still to be seen beside the row just inserted.
      left join lateral (select job_id from headrace.queue where tenant_id = for_tenant_id and dedupe_key = given.key
                          order by seq desc limit 1) as live on true;
    exit when array_position(result, null) is null;
  end loop;
  return result;
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

create or replace function headrace.retry(job_id uuid) returns boolean language plpgsql as $$
declare
  record headrace.job := headrace._job_or_error(retry.job_id);
  ended headrace.attempt;
  holder uuid;
begin
  -- The lock makes a second retry wait, and then find no final left. Only the final attempt is ever updated.
  select * into ended from headrace.attempt as a where a.job_id = record.id and a.final is not null for update;
  if ended.job_id is null then
    return false;
  end if;
  perform headrace._runnable((select key from headrace.definition where id = record.definition_id));
  update headrace.attempt as a set final = null where a.job_id = record.id and a.run = ended.run;
  loop
    insert into headrace.queue (job_id, tenant_id, lane_id, status, queued_at, priority, max_attempts, run, dedupe_key,
                                dedupe_waiting, overlap_id, gate)
    values (record.id, record.tenant_id, record.lane_id, 'queued', now(), record.priority, record.max_attempts, ended.run,
            record.dedupe_key, record.dedupe_waiting,
            (select t.id from headrace.trigger as t where t.id = record.source_ref and t.overlap <> 'allow'),
            headrace._gate(record.lane_id, record.tenant_id, record.payload))
    on conflict (tenant_id, dedupe_key) where dedupe_key is not null do nothing;
    exit when found;
    select q.job_id into holder from headrace.queue as q
     where q.tenant_id = record.tenant_id and q.dedupe_key = record.dedupe_key;
    -- If the holder ended between the two statements, the key is free and we try again.
    continue when holder is null;
    raise exception 'job "%" cannot be retried: job "%" holds its dedupe key "%"', record.id, holder, record.dedupe_key
      using errcode = 'HR409', detail = holder::text, hint = 'Wait for that job to end, or cancel it.';
  end loop;
  perform headrace._wake_workers();
  return true;
end $$;

create or replace function headrace._run_now(of_trigger_id uuid, with_payload jsonb, with_overlap text, by_whom text)
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
    insert into headrace.queue (job_id, tenant_id, lane_id, status, queued_at, priority, max_attempts, overlap_id, gate)
    values (result.job_id, t.tenant_id, lane, 'queued', now(), coalesce(t.priority, def.priority),
            coalesce(t.max_attempts, def.max_attempts), case when t.overlap <> 'allow' then t.id end,
            headrace._gate(lane, t.tenant_id, with_payload));
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
