-- Code's word on what exists. A setting that still has the value code declared last follows the code; one that an
-- operator changed stays, unless forced ($9). A setting that this code does not know keeps what newer code declared of it:
-- without that, an operator's change of it would be lost to the next newer process. A key that is of another kind or of
-- another app is left alone while that is there, unless it is taken from that app ($12). What nobody named ('default') or
-- what was registered at run time is nobody's once no live worker serves it.
-- name: sync_definition
insert into headrace.definition as d
  (key, kind, app, description, tags, payload_schema, triggers, hash, declared, schema_version, system, {definition})
select $1, $2, $3, $4, $5, $6, $7, $8, $10::jsonb, $11, $13, new.{definition}
  from jsonb_populate_record(null::headrace.definition, $10) as new
on conflict (key) do update
   set kind = excluded.kind, app = excluded.app, description = excluded.description, tags = excluded.tags,
       payload_schema = excluded.payload_schema, schema_version = excluded.schema_version, system = excluded.system, triggers = excluded.triggers, hash = excluded.hash,
       declared = d.declared || excluded.declared, deleted_from_code_at = null, synced_at = now(),
       function_schema = null, function_name = null, function_signature = null,
       enabled = $9 or d.enabled,
       ({definition}) = (select holds.{definition} from headrace._follow_code(d, $10, $9) as holds)
 where (d.deleted_from_code_at is not null
        or ($9 and d.kind = 'command')
        or (d.kind = excluded.kind
            and (d.app = $12
                 or regexp_replace(d.app, ' at run time$', '') = regexp_replace(excluded.app, ' at run time$', '')
                 or ((d.app = 'default' or d.app like '% at run time')
                     and not exists (select from headrace.worker as w
                                      where w.state = 'live' and w.lease_expires_at > now() and d.key = any(w.definitions))))))
   and (d.hash <> excluded.hash or d.app <> excluded.app or d.deleted_from_code_at is not null or $9)
returning id, key, (xmax = 0) as inserted

-- After the sync, so that nobody who comes meanwhile is overlooked.
-- name: find_conflict
select d.key, d.kind, d.app, d.kind <> wanted.kind as other_kind,
       count(*) over (partition by d.app, d.kind <> wanted.kind)::int - 1 as others,
       array(select w.name from headrace.worker as w
              where w.state = 'live' and w.lease_expires_at > now() and d.key = any(w.definitions) order by w.name limit 3) as workers
  from headrace.definition as d join unnest($1::text[], $2::text[]) as wanted (key, kind) on wanted.key = d.key
 where d.kind <> wanted.kind or d.app <> $3
 order by d.key limit 1

-- What this code does not have and is not gone: live workers serve it, or ($3) nobody can tell whose it is.
-- name: list_served
select key from headrace.definition as d
 where app = $1 and kind = 'python' and not system and deleted_from_code_at is null and not (key = any($2))
   and (not $3 or exists (select from headrace.worker as w
                           where w.state = 'live' and w.lease_expires_at > now() and d.key = any(w.definitions)))
 order by key

-- Who else runs these: their programs may be others than those that were just declared.
-- name: list_servers
select key, array_agg(distinct w.name order by w.name) as workers
  from unnest($1::text[]) as wanted (key)
  join headrace.worker as w on w.state = 'live' and w.lease_expires_at > now() and key = any(w.definitions)
 group by key order by key

-- name: mark_deleted_from_code
update headrace.definition set deleted_from_code_at = now()
 where app = $1 and kind = 'python' and not system and deleted_from_code_at is null and not (key = any($2))
returning key

-- What was kept because live workers served it, once none does and none has for a while ($3).
-- name: retire_definitions
update headrace.definition as d set deleted_from_code_at = now()
 where app = $1 and key = any($2) and kind = 'python' and not system and deleted_from_code_at is null
   and not exists (select from headrace.worker as w
                    where d.key = any(w.definitions) and (w.state = 'live' or w.heartbeat_at > now() - $3::interval))
returning key

-- A lane for each definition in its own queue, so that workers know it before the first job comes.
-- name: ensure_lanes
insert into headrace.lane (queue, definition_id)
select queue, id from headrace.definition as d
 where key = any($1) and not exists (select from headrace.lane where lane.queue = d.queue and lane.definition_id = d.id)
on conflict do nothing

-- One sync at a time: two processes that start together must not deadlock over each other's rows.
-- name: take_turn
lock table headrace.definition in share update exclusive mode
