-- Who owns jobs, what can be run, where it waits and who runs it.

create table headrace.tenant (
  id          int generated always as identity primary key,
  name        text not null unique check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99}$'),
  created_at  timestamptz not null default now()
);
insert into headrace.tenant (name) values ('default');

-- What may be run. Columns from "queue" on are settings: code declares them, an operator may change them
-- here, and "declared" remembers what the code said last, so that a sync can tell the two apart.
create table headrace.definition (
  id                    int generated always as identity primary key,
  key                   text not null unique check (key ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$'),
  kind                  text not null check (kind in ('python', 'command', 'sql')),
  app                   text not null,
  description           text not null default '',
  tags                  text[] not null default '{}',
  payload_schema        jsonb not null default '{}',
  triggers              jsonb not null default '[]',
  hash                  text not null,
  declared              jsonb not null default '{}',
  deleted_from_code_at  timestamptz,
  synced_at             timestamptz not null default now(),
  enabled               boolean not null default true,
  queue                 text not null default 'default' check (queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  priority              smallint not null default 100 check (priority between 0 and 1000),
  max_attempts          smallint not null default 3 check (max_attempts between 1 and 1000),
  timeout_seconds       double precision check (timeout_seconds > 0),
  retry_base_seconds    double precision not null default 5 check (retry_base_seconds >= 0),
  retry_cap_seconds     double precision not null default 300 check (retry_cap_seconds >= 0),
  retry_jitter_seconds  double precision not null default 1 check (retry_jitter_seconds >= 0)
);

-- One (queue, definition). The claim index starts with it, so that a worker never walks over jobs it cannot run.
create table headrace.lane (
  id             int generated always as identity primary key,
  queue          text not null check (queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  definition_id  int not null references headrace.definition (id),
  paused         boolean not null default false,
  unique (queue, definition_id)
);

create type headrace.worker_state as enum ('live', 'stopped', 'lost');

-- The lease is the worker's, so a heartbeat costs one row however many jobs run. "live" is left once, for good:
-- a worker that finds itself lost registers anew under another id.
create table headrace.worker (
  id                bigint generated always as identity primary key,
  name              text not null,
  hostname          text not null,
  pid               int not null,
  version           text not null,
  queues            text[] not null,
  definitions       text[] not null,
  concurrency       int not null,
  running           int not null default 0,
  state             headrace.worker_state not null default 'live',
  armed             boolean not null default false,
  lease             interval not null check (lease > interval '0'),
  lease_expires_at  timestamptz not null,
  started_at        timestamptz not null default now(),
  heartbeat_at      timestamptz not null default now(),
  stopped_at        timestamptz
) with (fillfactor = 50);
create index worker_live on headrace.worker (lease_expires_at) where state = 'live';

-- Workers keep the lanes they may claim from in memory; a change of a lane or of a definition tells them.
create function headrace._tell_lanes_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('headrace', 'lanes');
  return null;
end $$;
create trigger tell_workers after insert or delete or update of paused on headrace.lane
  for each statement execute function headrace._tell_lanes_changed();
create trigger tell_workers
  after update of enabled, timeout_seconds, retry_base_seconds, retry_cap_seconds, retry_jitter_seconds on headrace.definition
  for each statement execute function headrace._tell_lanes_changed();
