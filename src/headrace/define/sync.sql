-- Code's word on what exists. A setting that still has the value code declared last follows the code; one that an
-- operator changed stays, unless forced ($9). A key that is of another kind is left alone while that is there.
-- name: sync_definition
insert into headrace.definition as d
  (key, kind, app, description, tags, payload_schema, triggers, hash, declared,
   queue, priority, max_attempts, timeout_seconds, retry_base_seconds, retry_cap_seconds, retry_jitter_seconds)
select $1, $2, $3, $4, $5, $6, $7, $8, $10::jsonb,
       new.queue, new.priority, new.max_attempts, new.timeout_seconds, new.retry_base_seconds, new.retry_cap_seconds,
       new.retry_jitter_seconds
  from jsonb_to_record($10) as new (queue text, priority smallint, max_attempts smallint, timeout_seconds float8,
       retry_base_seconds float8, retry_cap_seconds float8, retry_jitter_seconds float8)
on conflict (key) do update
   set kind = excluded.kind, app = excluded.app, description = excluded.description, tags = excluded.tags,
       payload_schema = excluded.payload_schema, triggers = excluded.triggers, hash = excluded.hash,
       declared = excluded.declared, deleted_from_code_at = null, synced_at = now(),
       function_schema = null, function_name = null, function_signature = null,
       queue = case when $9 or d.declared -> 'queue' = to_jsonb(d.queue) then excluded.queue else d.queue end,
       priority = case when $9 or d.declared -> 'priority' = to_jsonb(d.priority) then excluded.priority else d.priority end,
       max_attempts = case when $9 or d.declared -> 'max_attempts' = to_jsonb(d.max_attempts) then excluded.max_attempts
                           else d.max_attempts end,
       timeout_seconds = case when $9 or (d.declared ->> 'timeout_seconds')::float8 is not distinct from d.timeout_seconds
                              then excluded.timeout_seconds else d.timeout_seconds end,
       retry_base_seconds = case when $9 or (d.declared ->> 'retry_base_seconds')::float8 = d.retry_base_seconds
                                 then excluded.retry_base_seconds else d.retry_base_seconds end,
       retry_cap_seconds = case when $9 or (d.declared ->> 'retry_cap_seconds')::float8 = d.retry_cap_seconds
                                then excluded.retry_cap_seconds else d.retry_cap_seconds end,
       retry_jitter_seconds = case when $9 or (d.declared ->> 'retry_jitter_seconds')::float8 = d.retry_jitter_seconds
                                   then excluded.retry_jitter_seconds else d.retry_jitter_seconds end,
       enabled = $9 or d.enabled
 where (d.kind = excluded.kind or d.deleted_from_code_at is not null or ($9 and d.kind = 'command'))
   and (d.hash <> excluded.hash or d.app <> excluded.app or d.deleted_from_code_at is not null or $9)
returning id, key, (xmax = 0) as inserted

-- After the sync, so that nobody who comes meanwhile is overlooked.
-- name: find_conflict
select d.key, d.kind, d.app
  from headrace.definition as d join unnest($1::text[], $2::text[]) as wanted (key, kind) on wanted.key = d.key
 where d.kind <> wanted.kind
 order by d.key limit 1

-- name: mark_deleted_from_code
update headrace.definition set deleted_from_code_at = now()
 where app = $1 and kind = 'python' and deleted_from_code_at is null and not (key = any($2))
returning key

-- A lane for each definition in its own queue, so that workers know it before the first job comes.
-- name: ensure_lanes
insert into headrace.lane (queue, definition_id)
select queue, id from headrace.definition as d
 where key = any($1) and not exists (select from headrace.lane where lane.queue = d.queue and lane.definition_id = d.id)
on conflict do nothing

-- One sync at a time: two processes that start together must not deadlock over each other's rows.
-- name: take_turn
select pg_advisory_xact_lock(hashtextextended('headrace.definitions', 0))
