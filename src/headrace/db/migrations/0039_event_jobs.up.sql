-- A job that an event made knows its trigger beside its event, a trigger knows how many it made, and an event may have a key.

-- Only of jobs with the source "event", whose source_ref is the event: source_ref of the others is the trigger itself.
alter table headrace.job add column trigger_id uuid;
create index job_trigger on headrace.job (trigger_id, id desc) where trigger_id is not null;

-- As before; and behind the old columns the trigger and the event that a job came from.
create or replace view headrace.jobs with (security_invoker = true) as
select job.id,
       tenant.name as tenant,
       definition.key as definition,
       lane.queue,
       coalesce(live.status, ended.final)::text as status,
       job.priority,
       job.payload,
       job.source,
       job.correlation_id,
       job.dedupe_key,
       job.scheduled_for,
       coalesce(live.queued_at, ended.queued_at) as queued_at,
       coalesce(live.claimed_at, ran.started_at) as started_at,
       ended.finished_at,
       coalesce(live.spent + (live.status = 'running')::int, ended.spent) as attempt_count,
       job.max_attempts,
       worker.name as worker,
       troubled.error as last_error,
       ended.result,
       progress.fraction as progress,
       job.created_by,
       job.idempotency_key,
       job.source_ref,
       job.created_at,
       live.run_at,
       coalesce(live.run, ended.run) as run,
       coalesce(live.cancel_requested, false) as cancel_requested,
       progress.message as progress_message,
       case when job.source in ('scheduler', 'catchup', 'manual', 'backfill') then job.source_ref else job.trigger_id end as trigger_id,
       case when job.source = 'event' then job.source_ref end as event_id
  from headrace.job
  join headrace.tenant on tenant.id = job.tenant_id
  join headrace.definition on definition.id = job.definition_id
  join headrace.lane on lane.id = job.lane_id
  left join headrace.queue as live on live.job_id = job.id
  left join lateral (select final, queued_at, finished_at, spent, result, run from headrace.attempt where attempt.job_id = job.id and attempt.final is not null
                      order by attempt.run desc limit 1) as ended on live.job_id is null
  left join lateral (select attempt.started_at, attempt.worker_id from headrace.attempt
                      where attempt.job_id = job.id and attempt.started_at is not null
                      order by attempt.run desc limit 1) as ran on true
  left join lateral (select attempt.error from headrace.attempt
                      where attempt.job_id = job.id and attempt.error is not null and attempt.outcome not in ('snoozed', 'released')
                      order by attempt.run desc limit 1) as troubled on true
  left join headrace.worker on worker.id = coalesce(live.worker_id, ran.worker_id)
  left join headrace.progress on progress.job_id = job.id;

-- Jobs that an event trigger made. Not in its own row, which dispatchers only share: whoever counted there would hold up the
-- others, or wait for each other in a circle. Each session has one of a few rows of a trigger to itself.
create table headrace.event_fires (
  trigger_id  uuid not null references headrace.trigger (id) on delete cascade,
  slot        smallint not null,
  fires       bigint not null,
  primary key (trigger_id, slot)
) with (fillfactor = 50);
alter table headrace.event_fires enable row level security;
create policy own on headrace.event_fires using (exists (select from headrace.trigger where trigger.id = trigger_id));
insert into headrace.event_fires (trigger_id, slot, fires)
select trigger_id, 0, count(*) from headrace.delivery join headrace.trigger on trigger.id = trigger_id
 where outcome = 'fired' group by trigger_id;

-- For as long as the event is kept, a key gives the same one.
create table headrace.event_key (
  tenant_id     int not null,
  key           text not null check (length(key) between 1 and 500),
  event_id      uuid unique,
  request_hash  bytea not null,
  primary key (tenant_id, key)
);
alter table headrace.event_key enable row level security;
create policy own on headrace.event_key using (tenant_id = (select headrace._current_tenant()));

create function headrace._grant_event_keys_to_tenants() returns void language plpgsql as $$
begin
  grant select on headrace.event_fires to headrace_tenant;
  grant select, insert, update on headrace.event_key to headrace_tenant;
end $$;
do $$
begin
  if exists (select from pg_roles where rolname = 'headrace_tenant') then
    perform headrace._grant_event_keys_to_tenants();
  end if;
exception when insufficient_privilege then
  raise notice 'the role headrace_tenant could not be given its rights';
end $$;

-- As headrace.emit, and whether this call made the event. A second caller waits until the transaction of the first ends.
create function headrace._emit_once(
  name text, data jsonb, idempotency_key text, tenant text, correlation_id text, out event_id uuid, out created boolean
) language plpgsql as $$
#variable_conflict use_column
declare
  for_tenant_id constant int := headrace._tenant_id(tenant);
  hash constant bytea := sha256(convert_to(_emit_once.name || ' ' || _emit_once.data::text, 'UTF8'));
  held headrace.event_key;
begin
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
create function headrace.emit_once(
  name text, data jsonb, idempotency_key text, tenant text default 'default', correlation_id text default null
) returns uuid language sql as $$
  select event_id from headrace._emit_once(name, data, idempotency_key, tenant, correlation_id)
$$;
