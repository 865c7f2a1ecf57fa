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

-- name: enqueue_jobs
with new as materialized (
  select *
    from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::smallint[], $6::smallint[], $7::text[], $8::text[],
                $9::uuid[], $10::text[], $11::timestamptz[], $12::uuid[], $13::text[], $14::uuid[])
      as new (id, tenant_id, definition_id, lane_id, priority, max_attempts, payload, source, source_ref, correlation_id,
              scheduled_for, overlap_id, trace_context, trigger_id)
), queued as (
  insert into headrace.queue (job_id, tenant_id, lane_id, status, queued_at, priority, max_attempts, overlap_id, gate)
  select id, tenant_id, lane_id, 'queued', now(), priority, max_attempts, overlap_id,
         headrace._gate(lane_id, tenant_id, payload::jsonb)
    from new
)
insert into headrace.job (id, tenant_id, definition_id, lane_id, priority, max_attempts, payload, source, source_ref,
                          correlation_id, scheduled_for, created_at, trace_context, trigger_id)
select id, tenant_id, definition_id, lane_id, priority, max_attempts, payload::jsonb, source, source_ref, correlation_id,
       scheduled_for, now(), trace_context, trigger_id
  from new

-- name: wake_workers
select headrace._wake_workers()
