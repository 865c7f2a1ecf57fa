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
  perform headrace._check_request(payloads, priority, max_attempts, dedupe_keys, idempotency_keys, dedupe_while);
  def := headrace._runnable(definition);
  for_tenant_id := headrace._tenant_id(tenant);
  lane := headrace._lane(coalesce(queue, def.queue), def.id);
  ids := headrace._job_ids(n);
  result := ids;

  if idempotency_keys is not null then
    result := headrace._settle_idempotency(for_tenant_id, idempotency_keys, ids,
      (select array_agg(sha256(convert_to(def.key || ' ' || payload::text, 'UTF8')) order by ordinal)
         from unnest(payloads) with ordinality as given (payload, ordinal)));
  end if;

  if dedupe_keys is null and idempotency_keys is null then
    insert into headrace.queue (job_id, tenant_id, lane_id, status, run_at, queued_at, priority, max_attempts)
    select id, for_tenant_id, lane, (case when due is null then 'queued' else 'scheduled' end)::headrace.job_status,
           due, case when due is null then now() end, coalesce(_enqueue.priority, def.priority),
           coalesce(_enqueue.max_attempts, def.max_attempts)
      from unnest(ids) as id;
  else
    result := headrace._insert_keyed(for_tenant_id, lane, due, coalesce(priority, def.priority)::smallint,
      coalesce(max_attempts, def.max_attempts)::smallint, ids, result, dedupe_keys, dedupe_while = 'waiting');
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
drop function headrace._refuse_secrets;
alter table headrace.definition drop column secret_fields;
drop function headrace._secret_fields;
