-- name: make_job_ids
select headrace._job_ids($1)

-- name: find_lanes
select queue, definition_id, headrace._lane(queue, definition_id) as lane_id
  from unnest($1::text[], $2::int[]) as asked (queue, definition_id)

-- A row back means go: no window was open for the same trigger and payload, or it has run out. In key order, lest two
-- dispatchers deadlock; of equal payloads in one batch only the first can go.
-- name: open_windows
insert into headrace.dedupe (trigger_id, payload_hash, until, job_id)
select distinct on (trigger_id, payload_hash)
       trigger_id, payload_hash, clock_timestamp() + make_interval(secs => seconds), job_id
  from (select trigger_id, sha256(convert_to(payload::jsonb::text, 'UTF8')) as payload_hash, seconds, job_id, ordinal
          from unnest($1::uuid[], $2::uuid[], $3::text[], $4::float8[])
            with ordinality as new (job_id, trigger_id, payload, seconds, ordinal)) as hashed
 order by trigger_id, payload_hash, ordinal
on conflict (trigger_id, payload_hash) do update set until = excluded.until, job_id = excluded.job_id
 where dedupe.until <= clock_timestamp()
returning job_id

-- name: earlier_jobs
select new.job_id, held.job_id
  from unnest($1::uuid[], $2::uuid[], $3::text[]) as new (job_id, trigger_id, payload)
  join headrace.dedupe as held on held.trigger_id = new.trigger_id
       and held.payload_hash = sha256(convert_to(new.payload::jsonb::text, 'UTF8'))

-- One call for all jobs that share lane and settings, which keep their order.
-- name: enqueue_jobs
select headrace._insert_jobs(d, ids, null, lane_id, payloads, new.priority, new.max_attempts, tenant_ids => tenant_ids,
         from_source => source, source_refs => source_refs, trigger_ids => trigger_ids, correlation_ids => correlation_ids,
         scheduled_fors => scheduled_fors, overlap_ids => overlap_ids, trace_contexts => trace_contexts)
  from (select definition_id, lane_id, priority, max_attempts, source, min(ordinal) as first,
               array_agg(id order by ordinal) as ids,
               array_agg(tenant_id order by ordinal) as tenant_ids,
               array_agg(payload::jsonb order by ordinal) as payloads,
               array_agg(source_ref order by ordinal) as source_refs,
               array_agg(correlation_id order by ordinal) as correlation_ids,
               array_agg(scheduled_for order by ordinal) as scheduled_fors,
               array_agg(overlap_id order by ordinal) as overlap_ids,
               array_agg(trace_context order by ordinal) as trace_contexts,
               array_agg(trigger_id order by ordinal) as trigger_ids
          from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::smallint[], $6::smallint[], $7::text[], $8::text[],
                      $9::uuid[], $10::text[], $11::timestamptz[], $12::uuid[], $13::text[], $14::uuid[])
            with ordinality as new (id, tenant_id, definition_id, lane_id, priority, max_attempts, payload, source, source_ref,
                                    correlation_id, scheduled_for, overlap_id, trace_context, trigger_id, ordinal)
         group by definition_id, lane_id, priority, max_attempts, source) as new
  join headrace.definition as d on d.id = new.definition_id
 order by first
