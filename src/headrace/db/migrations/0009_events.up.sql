-- Facts that applications publish, and what event triggers made of each.

create table headrace.event (
  id              uuid not null primary key,
  tenant_id       int not null,
  name            text not null,
  data            jsonb not null,
  correlation_id  text,
  emitted_at      timestamptz not null default clock_timestamp(),
  -- Only where it could not be dispatched at all: what single triggers could not do stands in their deliveries.
  error           text
);

-- A row is an event not yet handled. A queue and not a cursor: transactions commit in any order.
create table headrace.event_inbox (
  seq         bigint generated always as identity primary key,
  event_id    uuid not null,
  tries       int not null default 0,
  not_before  timestamptz
) with (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0);

-- What a trigger made of an event, once. job_id of what was deduplicated is the earlier job.
create table headrace.delivery (
  event_id    uuid not null,
  trigger_id  uuid not null,
  outcome     text not null check (outcome in ('fired', 'skipped')),
  reason      text,
  detail      text,
  job_id      uuid,
  primary key (event_id, trigger_id),
  constraint fired_means_a_job check (outcome <> 'fired' or (job_id is not null and reason is null)),
  constraint skipped_means_a_reason check (outcome <> 'skipped' or reason is not null)
);
create index delivery_trigger on headrace.delivery (trigger_id, event_id desc);

-- Whether some dispatcher sleeps and wants to be told, for NOTIFY serialises commits across the server. One row: it is
-- read by every emit and written only when a dispatcher falls asleep or finds itself busy.
create table headrace.event_watch (
  the_only  boolean primary key default true check (the_only),
  armed     boolean not null default true
) with (fillfactor = 10);
insert into headrace.event_watch default values;

-- In the caller's transaction: dispatched if and only if it commits.
create function headrace.emit(
  name text, data jsonb default '{}', tenant text default 'default', correlation_id text default null
) returns uuid language plpgsql as $$
declare
  for_tenant_id constant int := headrace._tenant_id(tenant);
  event_id uuid;
begin
  if name is null or name !~ '^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$' or length(name) > 200 then
    raise exception 'the event name "%" is not valid', left(name, 200) using errcode = 'HR400',
      hint = 'Words of A-Z a-z 0-9 _ - with dots between them, such as provider.folder.updated; at most 200 characters.';
  elsif data is null or jsonb_typeof(data) <> 'object' then
    raise exception 'the data of event "%" must be a JSON object', name using errcode = 'HR400';
  elsif pg_column_size(data) > 1048576 then
    raise exception 'the data of event "%" is too large (at most 1 MB)', name using errcode = 'HR413',
      hint = 'Store it elsewhere and pass a reference.';
  end if;
  event_id := (headrace._job_ids(1))[1];
  insert into headrace.event (id, tenant_id, name, data, correlation_id)
  values (event_id, for_tenant_id, emit.name, emit.data, emit.correlation_id);
  insert into headrace.event_inbox (event_id) values (event_id);
  if (select armed from headrace.event_watch) then
    perform pg_notify('headrace', 'events');
  end if;
  return event_id;
end $$;
