-- The one way into the queue, for enqueue, triggers, runs by hand and retries: default priority and attempts, gate, dedupe key,
-- queue row, record and wake-up. The trigger count_enqueued counts. An array has one value for each job; null is none for any.
--   def                            the definition of the lane
--   tenant_ids                     of jobs of several tenants, without dedupe keys; then of_tenant_id is null
--   with_priority, with_attempts   null: the definition's
--   due                            null: now
--   settled                        which job each idempotency key stands for; a job is inserted where that is its own id
--   runs                           of jobs that ran before: their records are there, and from_source is null
--   trace_contexts                 null: the trace of this transaction
-- Gives back the job that holds each place: itself, the live one that has its dedupe key, or the one in "settled".
create or replace function headrace._insert_jobs(
  def headrace.definition, ids uuid[], of_tenant_id int, of_lane_id int, payloads jsonb[], with_priority int, with_attempts int,
  due timestamptz default null, settled uuid[] default null, dedupe_keys text[] default null, waiting_only boolean default false,
  overlap_ids uuid[] default null, runs int[] default null, from_source text default null, source_refs uuid[] default null,
  trigger_ids uuid[] default null, tenant_ids int[] default null, correlation_ids text[] default null, idempotency_keys text[] default null,
  scheduled_fors timestamptz[] default null, by_whom text default null, trace_contexts text[] default null
) returns uuid[] language plpgsql as $$
declare
  gates bigint[];
  result uuid[] := ids;
begin
  with_priority := coalesce(with_priority, def.priority);
  with_attempts := coalesce(with_attempts, def.max_attempts);
  -- Payloads are read for a key only where some limit concerns the lane or the tenant.
  if tenant_ids is not null then
    gates := array(select case when limits.gated then headrace._gate_key(given.payload, def.concurrency_key) end
                     from unnest(payloads, tenant_ids) with ordinality as given (payload, tenant_id, ordinal)
                     join (select t, headrace._gated(of_lane_id, t) from unnest(tenant_ids) as t group by t) as limits (tenant_id, gated)
                       on limits.tenant_id = given.tenant_id
                    order by given.ordinal);
  elsif headrace._gated(of_lane_id, of_tenant_id) then
    gates := case when def.concurrency_key is null then array_fill(0::bigint, array[cardinality(ids)])
                  else array(select headrace._gate_key(given.payload, def.concurrency_key)
                               from unnest(payloads) with ordinality as given (payload, ordinal) order by given.ordinal) end;
  end if;

  if dedupe_keys is null and settled is null then
    insert into headrace.queue (job_id, tenant_id, lane_id, status, run_at, queued_at, priority, max_attempts, run, overlap_id, gate)
    select given.id, coalesce(given.tenant_id, of_tenant_id), of_lane_id,
           (case when due is null then 'queued' else 'scheduled' end)::headrace.job_status,
           due, case when due is null then now() end, with_priority, with_attempts, coalesce(given.run, 0), given.overlap_id, given.gate
      from unnest(ids, tenant_ids, runs, overlap_ids, gates) as given (id, tenant_id, run, overlap_id, gate);
  else
    result := headrace._insert_keyed(ids, of_tenant_id, of_lane_id, due, with_priority, with_attempts, coalesce(settled, ids), gates,
      dedupe_keys, waiting_only, overlap_ids, runs);
  end if;

  if from_source is not null then
    insert into headrace.job (id, tenant_id, definition_id, lane_id, priority, max_attempts, payload, source, source_ref, trigger_id,
                              correlation_id, dedupe_key, dedupe_waiting, idempotency_key, scheduled_for, created_at, created_by,
                              trace_context)
    select given.id, coalesce(given.tenant_id, of_tenant_id), def.id, of_lane_id, with_priority, with_attempts, given.payload,
           from_source, given.source_ref, given.trigger_id, given.correlation_id, given.dedupe_key, waiting_only,
           given.idempotency_key, given.scheduled_for, now(), by_whom,
           case when trace_contexts is null then headrace._trace_context() else given.trace_context end
      from unnest(ids, result, tenant_ids, payloads, source_refs, trigger_ids, correlation_ids, dedupe_keys, idempotency_keys,
                  scheduled_fors, trace_contexts)
        as given (id, holder, tenant_id, payload, source_ref, trigger_id, correlation_id, dedupe_key, idempotency_key, scheduled_for,
                  trace_context)
     where given.id = given.holder;
  end if;

  if due is null then
    perform headrace._wake_workers();
  elsif due < clock_timestamp() + interval '6 seconds' then
    -- Promoters sleep for at most 5 seconds, and find by themselves what is due later.
    perform pg_notify('headrace', 'due');
  end if;
  return result;
end $$;

-- Queue rows for jobs with keys. What the first statement could not insert is looked up by the second, which sees the holder; if
-- the holder ended between the two, the key is free and the loop tries again. Planned anew each time: a plan made while the table
-- was empty is ruinous once it is full.
create or replace function headrace._insert_keyed(
  ids uuid[], of_tenant_id int, of_lane_id int, due timestamptz, with_priority int, with_attempts int, settled uuid[],
  gates bigint[], keys text[], waiting_only boolean, overlap_ids uuid[], runs int[]
) returns uuid[] language plpgsql set plan_cache_mode = force_custom_plan as $$
declare result uuid[];
begin
  loop
    insert into headrace.queue (job_id, tenant_id, lane_id, status, run_at, queued_at, priority, max_attempts, run, overlap_id, gate,
                                dedupe_key, dedupe_waiting)
    select mine.id, of_tenant_id, of_lane_id, (case when due is null then 'queued' else 'scheduled' end)::headrace.job_status,
           due, case when due is null then now() end, with_priority, with_attempts, coalesce(mine.run, 0), mine.overlap_id,
           mine.gate, mine.key, waiting_only
      from (select distinct on (coalesce(given.key, given.id::text)) given.*
              from unnest(ids, settled, gates, keys, overlap_ids, runs)
                with ordinality as given (id, holder, gate, key, overlap_id, run, ordinal)
             where given.id = given.holder
             order by coalesce(given.key, given.id::text), given.ordinal) as mine
     order by mine.key, mine.id
    on conflict do nothing;
    select array_agg(case when given.id <> given.holder or given.key is null then given.holder else live.job_id end
                     order by given.ordinal) into result
      from unnest(ids, settled, keys) with ordinality as given (id, holder, key, ordinal)
      -- The newest: under REPEATABLE READ a holder that has ended is still visible beside the row just inserted.
      left join lateral (select q.job_id from headrace.queue as q where q.tenant_id = of_tenant_id and q.dedupe_key = given.key
                          order by q.seq desc limit 1) as live on true;
    exit when array_position(result, null) is null;
  end loop;
  return result;
end $$;
