-- Types, tables, indexes and policies, grouped by noun. ../functions holds the functions, ../views.sql the views and
-- ../table_triggers.sql the triggers of tables: a migration replaces these files as a whole. ../schema.sql shows the result of all.
--
-- The functions in this file are pinned: a column, an index, a policy or a stored value was made with each of them. A change of
-- one is a new step, which also rebuilds what was made with it.

-- ==================== Tenants

-- The tenant that an integrator's login is bound to. By the login and not by a setting, which the login itself could change.
create function headrace._bound_tenant() returns int
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (select tenant_id from headrace.integrator where login = session_user);
end $$;
revoke all on function headrace._bound_tenant from public;

-- The tenant of a request, or of an integrator. Whoever sets the first gains nothing: the policy "bound" asks for the second.
create function headrace._current_tenant() returns int language sql stable parallel safe as $$
  select coalesce(nullif(current_setting('headrace.tenant_id', true), '')::int, headrace._bound_tenant())
$$;

create function headrace._tenant_id(wanted text) returns int language plpgsql stable as $$
declare found_id int;
begin
  select id into found_id from headrace.tenant where name = wanted;
  if found_id is null then
    raise exception 'unknown tenant "%"', wanted using errcode = 'HR404', hint = 'Create the tenant first.';
  end if;
  return found_id;
end $$;

create table headrace.tenant (
  id                   int generated always as identity primary key,
  name                 text not null unique,
  created_at           timestamptz not null default now(),
  -- The name addresses a tenant, the title is for people to read. Null is no limit.
  title                text not null default '',
  max_queued           int check (max_queued > 0),
  max_payload_bytes    int check (max_payload_bytes between 2 and 1048576),
  requests_per_minute  int check (requests_per_minute > 0),
  max_running          int check (max_running between 1 and 1000000),
  -- Its share of a queue that is shared fairly: with 3 it gets three jobs for each one of a tenant with 1.
  weight               int not null default 1 check (weight between 1 and 1000),
  -- What the tenant may choose for its jobs beside the own queue and priority of their definition: these queues, and priorities
  -- down to this number. Null: a definition's own priority is the most urgent one.
  queues                text[] not null default '{}' check (
    cardinality(queues) <= 100 and to_jsonb(queues)::text ~ '^\[("[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}"(, )?)*\]$'),
  most_urgent_priority  smallint check (most_urgent_priority between 0 and 1000),
  system               boolean not null default false,
  constraint not_the_system_queue check (not 'headrace' = any(queues)),
  -- No other tenant can take the name of the system's tenant.
  constraint tenant_name_check check (
    case when system then name = '_headrace' else name ~ '^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99}$' end)
);
insert into headrace.tenant (name) values ('default');
insert into headrace.tenant (name, title, system) values ('_headrace', 'Headrace itself', true);

-- Logins of the server that act for one tenant by SQL, under the role headrace_integrator.
create table headrace.integrator (
  login      name primary key,
  tenant_id  int not null references headrace.tenant (id) on delete cascade,
  bound_at   timestamptz not null default now(),
  bound_by   text not null default session_user
);

-- ==================== Definitions

-- The fields that are stored encrypted. The database has no key, so it refuses a value that is not encrypted.
create function headrace._secret_fields(payload_schema jsonb) returns text[] language sql immutable as $$
  select array(select name from jsonb_each(
                 case when jsonb_typeof(payload_schema -> 'properties') = 'object' then payload_schema -> 'properties' else '{}' end)
                 as field (name, rule)
                where jsonb_typeof(rule) = 'object' and rule -> 'x-secret' = 'true'
                order by name)
$$;

-- What may be run. Columns from "queue" on are settings: code declares them, an operator may change them here, and "declared"
-- holds the values that code declared last, so that a sync can distinguish the two.
--   system  ships with Headrace. Its jobs belong to a tenant of their own: no other tenant's list, count or quota has them,
--           and only a super-admin can act for that tenant.
create table headrace.definition (
  id                       int generated always as identity primary key,
  key                      text not null unique check (key ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$'),
  kind                     text not null check (kind in ('python', 'command', 'sql')),
  app                      text not null,
  description              text not null default '' check (length(description) <= 100000),
  tags                     text[] not null default '{}' check (cardinality(tags) <= 100),
  payload_schema           jsonb not null default '{}',
  triggers                 jsonb not null default '[]',
  hash                     text not null,
  declared                 jsonb not null default '{}',
  deleted_from_code_at     timestamptz,
  synced_at                timestamptz not null default now(),
  enabled                  boolean not null default true,
  queue                    text not null default 'default' check (queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  priority                 smallint not null default 100 check (priority between 0 and 1000),
  max_attempts             smallint not null default 4 check (max_attempts between 1 and 1000),
  timeout_seconds          double precision check (timeout_seconds > 0 and timeout_seconds <= 31536000),
  retry_base_seconds       double precision not null default 5 check (retry_base_seconds between 0 and 31536000),
  retry_cap_seconds        double precision not null default 300 check (retry_cap_seconds between 0 and 31536000),
  retry_jitter_seconds     double precision not null default 1 check (retry_jitter_seconds between 0 and 31536000),
  -- As text and never as regprocedure: pg_upgrade refuses columns of that type, and a function that is dropped and made again
  -- has another oid. Each run looks the function up again.
  function_schema          text,
  function_name            text,
  function_signature       text check (function_signature in ('()', '(jsonb)')),
  secret_fields            text[] generated always as (headrace._secret_fields(payload_schema)) stored,
  max_concurrency          int check (max_concurrency between 1 and 1000000),
  concurrency_key          text check (length(concurrency_key) <= 500 and concurrency_key ~ '^\[? *[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*( *, *[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*)* *\]?$'),
  max_concurrency_per_key  int check (max_concurrency_per_key between 1 and 1000000),
  rate_limit               int check (rate_limit between 1 and 1000000),
  rate_period_seconds      double precision not null default 1 check (rate_period_seconds between 0.001 and 31536000),
  rate_burst               int check (rate_burst between 1 and 1000000),
  rate_per_key             boolean not null default false,
  -- The tenants that may run it; null: all of them.
  tenants                  text[] check (cardinality(tenants) between 1 and 1000 and array_to_string(tenants, ',', '')
                             ~ '^(_headrace|[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99})(,(_headrace|[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99}))*$'),
  limited                  boolean generated always as (num_nonnulls(max_concurrency, max_concurrency_per_key, rate_limit, tenants) > 0) stored,
  system                   boolean not null default false,
  -- A job that has ended stays for retention_days, or while it is among the last retention_count of its definition. Null: the
  -- configuration decides, and no last jobs stay.
  retention_days           double precision check (retention_days between 0 and 3650),
  retention_count          int check (retention_count between 1 and 1000000),
  -- Which version of the payload's schema code declared last.
  schema_version           text,
  constraint function_exactly_for_sql
    check (num_nonnulls(function_schema, function_name, function_signature) = case kind when 'sql' then 3 else 0 end),
  constraint per_key_needs_a_key check (concurrency_key is not null or (max_concurrency_per_key is null and not rate_per_key)),
  constraint burst_needs_a_rate check (rate_limit is not null or rate_burst is null),
  constraint built_in_jobs_have_no_tenants check (not system or tenants is null),
  constraint not_the_system_queue check (queue <> 'headrace' or system)
);

-- Whether a definition's list has the tenant. The list itself is not for integrators to read: it names other tenants.
create function headrace._may_run(of_definition_id int, of_tenant_id int) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select d.tenants is null or exists (select from headrace.tenant as t where t.id = of_tenant_id and t.name = any(d.tenants))
    from headrace.definition as d
   where d.id = of_definition_id and of_tenant_id = coalesce(headrace._bound_tenant(), of_tenant_id)
$$;
revoke all on function headrace._may_run from public;

-- Which schedules of built-in jobs were ever made. What an operator changed or deleted is not made again.
create table headrace.default_schedule (
  name         text primary key,
  inserted_at  timestamptz not null default now()
);

-- Where functions of SQL jobs may lie, for one row and no more. Workers have their own list, which holds at every run.
create table headrace.sql_setting (
  only_row         boolean primary key default true check (only_row),
  allowed_schemas  text[] not null default '{public}'
    check (array_position(allowed_schemas, null) is null
           and not allowed_schemas && '{headrace,pg_catalog,information_schema,pg_toast,pg_temp}')
);
insert into headrace.sql_setting default values;

-- ==================== Lanes, queues and pauses

-- One (queue, definition). The claim index starts with it, so that a worker never walks over jobs it cannot run.
--   unused_since  when it was first seen without a live job while nothing declares its queue; the next job that comes clears it
create table headrace.lane (
  id             int generated always as identity primary key,
  queue          text not null check (queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  definition_id  int not null references headrace.definition (id),
  paused         boolean not null default false,
  unused_since   timestamptz,
  unique (queue, definition_id)
);

-- What an operator has set of a queue; a queue without a row has the defaults.
create table headrace.queue_setting (
  queue           text primary key check (queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  max_running     int check (max_running between 1 and 1000000),
  fair            boolean not null default false,
  -- A job that has waited this long is served like the most urgent ones; 0 is never.
  ageing_seconds  int not null default 3600 check (ageing_seconds between 0 and 31536000)
);

-- A paused queue, also for definitions that come to it later. The pause ends by itself at "resume_at", if that is set.
-- A worker reads this with its lanes, never with a claim.
create table headrace.queue_pause (
  queue      text primary key check (queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  note       text not null default '',
  paused_at  timestamptz not null default now(),
  paused_by  text not null,
  resume_at  timestamptz
);

-- As queue_pause. The jobs of a paused tenant wait behind gates; a paused definition's lanes are left out.
create table headrace.definition_pause (
  definition_id  int primary key references headrace.definition (id) on delete cascade,
  note           text not null default '',
  paused_at      timestamptz not null default now(),
  paused_by      text not null,
  resume_at      timestamptz
);

create table headrace.tenant_pause (
  tenant_id  int primary key references headrace.tenant (id) on delete cascade,
  note       text not null default '',
  paused_at  timestamptz not null default now(),
  paused_by  text not null,
  resume_at  timestamptz
);

-- ==================== Workers

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
  stopped_at        timestamptz,
  -- The principal that owns a worker over HTTP: no other may act for it. Null: the worker has a login to the database.
  principal         text,
  -- The worker finishes what it runs, claims no more and stops. It reads this with its next heartbeat.
  draining          boolean not null default false,
  -- The memory of the worker's process, reported with each heartbeat; null where the machine does not measure it.
  memory_bytes      bigint check (memory_bytes >= 0),
  -- How long no thread of the process could run, because a handler held the GIL. A worker that was called lost reports it when
  -- it comes back.
  stood_still       interval check (stood_still > interval '0'),
  -- The name by which processes that share an embedded server find the worker's process; null for all other workers.
  process           text,
  -- Which version of each definition's schema the worker's code has, by the key of the definition.
  schemas           jsonb not null default '{}',
  -- How many jobs the worker held when it was called lost. A rescue may free them in several batches: whether a job was lost
  -- beside others is decided once, while all of them are still there.
  lost_with         int check (lost_with >= 0)
) with (fillfactor = 50);
create index worker_live on headrace.worker (lease_expires_at) where state = 'live';

-- Definitions of which a worker lately met a payload that does not fit its code: it leaves their jobs to workers of other
-- versions, which may read them.
create table headrace.misfit (
  worker_id      bigint not null references headrace.worker (id) on delete cascade,
  definition_id  int not null references headrace.definition (id) on delete cascade,
  at             timestamptz not null default now(),
  primary key (worker_id, definition_id)
);
create index misfit_definition on headrace.misfit (definition_id);

-- ==================== Jobs

-- The record of a request (job), the small hot table of live ones (queue) and what came of each run (attempt).
-- No foreign keys among the three: partitions of job and attempt must come and go without touching queue.

-- The trace that a job or an event is part of: the W3C traceparent, and after a blank the tracestate. The default is the
-- setting headrace.trace_context of the transaction, so plain SQL can set it: set local headrace.trace_context = '00-…'.
create function headrace._trace_context() returns text language sql stable as $$
  select nullif(left(current_setting('headrace.trace_context', true), 600), '')
$$;

create function headrace._first_id(at timestamptz) returns uuid language sql immutable strict as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

create type headrace.job_status as enum
  ('scheduled', 'queued', 'running', 'succeeded', 'failed', 'canceled', 'dead_letter');

create type headrace.attempt_outcome as enum
  ('succeeded', 'failed', 'timed_out', 'retried', 'snoozed', 'released', 'lost', 'canceled');

-- Written once, never updated. Partitioned by id, so by time: a look-up prunes to one partition.
create table headrace.job (
  id               uuid not null primary key,
  tenant_id        int not null,
  definition_id    int not null,
  lane_id          int not null,
  priority         smallint not null,
  max_attempts     smallint not null,
  payload          jsonb not null,
  source           text not null,
  source_ref       uuid,
  correlation_id   text,
  dedupe_key       text,
  dedupe_waiting   boolean not null default false,
  idempotency_key  text,
  scheduled_for    timestamptz,
  created_at       timestamptz not null,
  created_by       text,
  trace_context    text default headrace._trace_context(),
  -- Only of jobs with the source "event", whose source_ref is the event: source_ref of the others is the trigger itself.
  trigger_id       uuid,
  -- Python has no other years.
  constraint due_between_1900_and_9000 check (scheduled_for between '1900-01-01Z' and '9000-01-01Z')
) partition by range (id);
-- Lists go by one of these, newest first, and never read more of history than a page.
create index job_tenant on headrace.job (tenant_id, id desc);
create index job_definition on headrace.job (definition_id, id desc);
create index job_source on headrace.job (source_ref, id desc) where source_ref is not null;
create index job_correlation on headrace.job (correlation_id, id desc) where correlation_id is not null;
create index job_trigger on headrace.job (trigger_id, id desc) where trigger_id is not null;

create sequence headrace.queue_seq;

-- Live jobs only: inserted at enqueue, updated at claim, deleted at finish. Its size follows the backlog.
--   run       goes up by one at every claim, never down: with worker_id it is the fence of a finish
--   spent     attempts used up; a release or a snooze does not count
--   suspect   was running when its worker was lost: claimed again one at a time, lest it takes others with it
create table headrace.queue (
  job_id            uuid not null primary key,
  seq               bigint not null default nextval('headrace.queue_seq'),
  run_at            timestamptz,
  queued_at         timestamptz,
  claimed_at        timestamptz,
  worker_id         bigint,
  tenant_id         int not null,
  lane_id           int not null,
  run               int not null default 0,
  status            headrace.job_status not null,
  priority          smallint not null,
  spent             smallint not null default 0,
  max_attempts      smallint not null,
  suspect           boolean not null default false,
  cancel_requested  boolean not null default false,
  dedupe_waiting    boolean not null default false,
  dedupe_key        text,
  -- The trigger whose due time a live job stands for, set only where its overlap rule needs it: plain jobs pay nothing.
  overlap_id        uuid,
  -- Null where no limit concerns the job; else 0, or what its definition's concurrency_key makes of its payload. With lane and
  -- tenant it is the group in which the job waits.
  gate              bigint,
  -- When a worker first gave the job back because it could not read it; null for nearly every job.
  unreadable_since  timestamptz,
  constraint a_live_status check (status in ('scheduled', 'queued', 'running')),
  constraint scheduled_has_a_time check ((status = 'scheduled') = (run_at is not null)),
  constraint running_has_a_worker check ((status = 'running') = (worker_id is not null)),
  constraint running_was_claimed check ((status = 'running') = (claimed_at is not null)),
  constraint waiting_since check ((status = 'scheduled') = (queued_at is null)),
  constraint only_running_is_told_to_cancel check (status = 'running' or not cancel_requested),
  constraint spent_within_maximum check (spent >= 0 and spent < max_attempts),
  constraint run_counts_claims check (run >= 0),
  -- Python has no other years.
  constraint due_between_1900_and_9000 check (run_at between '1900-01-01Z' and '9000-01-01Z')
) with (
  autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_threshold = 50000, autovacuum_analyze_scale_factor = 0.2
);
create index queue_claim on headrace.queue (lane_id, priority, seq) where status = 'queued' and not suspect and gate is null;
create index queue_suspect on headrace.queue (lane_id, priority, seq) where status = 'queued' and suspect;
create index queue_held on headrace.queue (worker_id) where status = 'running';
create index queue_due on headrace.queue (run_at) where status = 'scheduled';
create unique index queue_dedupe on headrace.queue (tenant_id, dedupe_key) where dedupe_key is not null;
create index queue_overlap on headrace.queue (overlap_id) where overlap_id is not null;
create index queue_gated on headrace.queue (lane_id, tenant_id, gate, priority, seq) where status = 'queued' and gate is not null;
create index queue_gated_running on headrace.queue (lane_id, tenant_id, gate) where status = 'running' and gate is not null;
create index queue_unreadable on headrace.queue (lane_id) where unreadable_since is not null;

-- One row for each run that ended, insert-only but for a person's retry, which clears "final".
create table headrace.attempt (
  job_id       uuid not null,
  run          int not null,
  tenant_id    int not null,
  lane_id      int not null,
  worker_id    bigint,
  outcome      headrace.attempt_outcome not null,
  final        headrace.job_status,
  spent        smallint not null,
  queued_at    timestamptz,
  started_at   timestamptz,
  finished_at  timestamptz not null,
  error        text,
  traceback    text,
  result       jsonb,
  -- What is known of a run beside its outcome: of a command its exit code, signal, pid, CPU, memory, tails and which argv ran.
  detail       jsonb,
  -- The job that replaced this one: a retry with another payload closes a failed job. Its last attempt is final as canceled, so
  -- that no list of dead letters, no bulk retry and no alert finds it. The job stays closed.
  replaced_by  uuid,
  primary key (job_id, run),
  constraint a_final_status check (final in ('succeeded', 'failed', 'canceled', 'dead_letter')),
  constraint started_means_a_worker check ((started_at is null) = (worker_id is null)),
  constraint success_is_final check (final is null or (final = 'succeeded') = (outcome = 'succeeded')),
  constraint replaced_means_canceled check (replaced_by is null or final is not distinct from 'canceled')
) partition by range (job_id);
-- A status lives in one place; these find the newest of a terminal one without reading history.
create index attempt_trouble on headrace.attempt (final, job_id desc) where final <> 'succeeded';
-- One for each final status: under row-level security a comparison of enums may not be an index condition, for it is not
-- leakproof, but the predicate of a partial index may stand for it.
create index attempt_succeeded on headrace.attempt (tenant_id, job_id desc) where final = 'succeeded';
create index attempt_failed on headrace.attempt (tenant_id, job_id desc) where final = 'failed';
create index attempt_canceled on headrace.attempt (tenant_id, job_id desc) where final = 'canceled';
create index attempt_dead on headrace.attempt (tenant_id, job_id desc) where final = 'dead_letter';
-- What has ended lately, whatever its id. Runs are written in the order in which they end, so a range of pages is a range of
-- times: the index has an entry for each 32 pages, and an insert into the last of them finds nothing to do.
create index attempt_finished on headrace.attempt using brin (finished_at) with (pages_per_range = 32, autosummarize = on);
-- What failed lately, and what was missed, found without reading what went well.
create index attempt_trouble_lately on headrace.attempt (tenant_id, lane_id, finished_at desc)
  where final in ('failed', 'dead_letter');
-- The newest failures of a tenant and of all, in the order in which they came, without reading what went well.
create index attempt_error on headrace.attempt (tenant_id, finished_at desc) where error is not null;
create index attempt_error_of_all on headrace.attempt (finished_at desc) where error is not null;

-- For as long as history is kept, a key gives the same job. Unpartitioned: uniqueness holds over all time.
create table headrace.idempotency (
  tenant_id     int not null,
  key           text not null check (length(key) between 1 and 500),
  job_id        uuid not null,
  request_hash  bytea not null,
  primary key (tenant_id, key)
);
-- Keys go with their jobs. Ids come in order, so an insert finds its place in the page that is at hand.
create index idempotency_job on headrace.idempotency (job_id);

-- The last progress a job reported; written at most once a second a job, apart from the hot table.
create table headrace.progress (
  job_id      uuid not null primary key,
  fraction    real check (fraction between 0 and 1),
  message     text,
  updated_at  timestamptz not null default now()
);

-- Sessions that wait for a job's end. A finish notifies these only, so a job without a waiter costs no notification.
create unlogged table headrace.waiter (
  job_id      uuid not null,
  waiter_id   uuid not null,
  expires_at  timestamptz not null,
  primary key (job_id, waiter_id)
);

create table headrace.partition (
  lower_bound  timestamptz primary key,
  upper_bound  timestamptz not null unique,
  suffix       text not null unique,
  -- "leaving": nothing in it must stay, and it may be gone any moment.
  leaving      boolean not null default false,
  check (lower_bound < upper_bound)
);

-- ==================== Limits

-- A job that some limit concerns stands behind a gate (queue.gate is not null): it is in no index that an ordinary claim
-- reads, so a million of them cost the others nothing.

-- The key of a payload as a number: paths such as "provider.id", or several as "[provider.id, folder]". What is missing
-- is a key like any other.
create function headrace._gate_key(payload jsonb, concurrency_key text) returns bigint language sql immutable as $$
  select case when concurrency_key is null then 0 else
    hashtextextended((select jsonb_agg(payload #> string_to_array(trim(path), '.') order by place)::text
                        from string_to_table(trim(concurrency_key, '[] '), ',') with ordinality as named (path, place)), 0) end
$$;

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

-- No row. Whoever claims limited jobs locks the table until the end of the transaction: one caller at a time. Not an advisory
-- lock, which any session of the server can take, and not a row, whose lock is written to disk.
create table headrace.gate_turn (
  id  boolean primary key
);

-- A token bucket: for a definition (tenant_id and gate 0), or for each of its keys.
create table headrace.rate_bucket (
  definition_id  int not null references headrace.definition (id) on delete cascade,
  tenant_id      int not null,
  gate           bigint not null,
  tokens         double precision not null,
  at             timestamptz not null,
  primary key (definition_id, tenant_id, gate)
) with (fillfactor = 50);

-- How much of a fair queue each tenant has had, by start-time fair queueing; tenant 0 is the queue's own clock.
create table headrace.queue_share (
  queue      text not null,
  tenant_id  int not null,
  had        double precision not null,
  primary key (queue, tenant_id)
) with (fillfactor = 50);

-- ==================== Triggers

-- Rules that enqueue jobs, what came of each of their due times, and how both are written with SQL alone.

-- When a time trigger is due is computed ahead, in Python:
--   next_run_at     the due time; null: compute it; infinity: there are no more
--   fire_at         that with jitter, which is what schedulers look at
--   effective_from  since when the rule holds: due times are computed from here
--   uncovered_from  due times from here to effective_from came to nothing (uncovered_why), and they have no fire yet
--   pending_due_at  a due time that waits for the job before it to end
--   fires, runs     jobs that the rule made, and those with runs by hand and backfills
--   version         goes up with every change to what the trigger does or when; a scheduler's advance is none
-- Columns from "payload" on are settings; "declared" remembers what code said last, as for definitions.
create table headrace.trigger (
  id                     uuid not null primary key default gen_random_uuid(),
  tenant_id              int not null default headrace._tenant_id('default') references headrace.tenant (id),
  name                   text not null check (length(name) between 1 and 200),
  definition_id          int not null references headrace.definition (id),
  trigger_type           text not null default 'schedule' check (trigger_type in ('schedule', 'init', 'event')),
  cron                   text,
  every_seconds          double precision check (every_seconds between 0.1 and 3162240000),
  timezone               text not null default 'UTC',
  starts_at              timestamptz,
  ends_at                timestamptz,
  max_fires              int check (max_fires > 0),
  init_version           text not null default '',
  event                  text check (event ~ '^(\*|[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(\.\*)?)$' and length(event) <= 200),
  payload                jsonb not null default '{}' check (jsonb_typeof(payload) = 'object'),
  condition              text,
  queue                  text check (queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'),
  priority               smallint check (priority between 0 and 1000),
  max_attempts           smallint check (max_attempts between 1 and 1000),
  catch_up               text not null default 'latest' check (catch_up in ('none', 'latest', 'all')),
  catch_up_cap           int not null default 100 check (catch_up_cap between 1 and 1000),
  misfire_grace_seconds  double precision not null default 60 check (misfire_grace_seconds between 0 and 31536000),
  overlap                text not null default 'allow' check (overlap in ('allow', 'skip', 'queue_one', 'cancel_running')),
  jitter_seconds         double precision not null default 0 check (jitter_seconds between 0 and 86400),
  dedupe_window_seconds  double precision check (dedupe_window_seconds > 0 and dedupe_window_seconds <= 31536000),
  pause_on_failures      int check (pause_on_failures between 1 and 100),
  enabled                boolean not null default true,
  pause_note             text,
  version                int not null default 1,
  next_run_at            timestamptz,
  fire_at                timestamptz,
  effective_from         timestamptz not null default clock_timestamp(),
  uncovered_from         timestamptz,
  uncovered_why          text check (uncovered_why in ('disabled', 'edited')),
  pending_due_at         timestamptz,
  fires                  bigint not null default 0,
  runs                   bigint not null default 0,
  last_run_at            timestamptz,
  last_error             text,
  app                    text,
  declared               jsonb,
  deleted_from_code_at   timestamptz,
  created_at             timestamptz not null default now(),
  created_by             text,
  -- When it was turned off by an error or by failing jobs; null when a person did, or when it is on.
  stopped_at             timestamptz,
  unique (tenant_id, name),
  constraint a_schedule_has_one_rule check (
    (trigger_type = 'schedule') = (cron is not null or every_seconds is not null)
    and num_nonnulls(cron, every_seconds) < 2),
  constraint an_event_has_a_name check ((trigger_type = 'event') = (event is not null)),
  constraint only_events_have_a_condition check (trigger_type = 'event' or condition is null),
  constraint an_event_knows_no_time check (
    trigger_type <> 'event'
    or (overlap = 'allow' and jitter_seconds = 0 and num_nonnulls(max_fires, starts_at, ends_at, pause_on_failures) = 0)),
  constraint a_window_ends_after_it_starts check (ends_at > starts_at),
  -- Others no calendar of a scheduler can hold.
  constraint times_lie_between_1900_and_9000 check (
    (starts_at between '1900-01-01Z' and '9000-01-01Z' or starts_at = '-infinity')
    and (ends_at between '1900-01-01Z' and '9000-01-01Z' or ends_at = 'infinity')
    and (next_run_at between '1900-01-01Z' and '9000-01-01Z' or next_run_at = 'infinity')),
  constraint jitter_is_shorter_than_the_interval check (jitter_seconds < every_seconds),
  constraint not_the_system_queue check (queue <> 'headrace')
) with (
  -- fire_at is indexed, so no advance is HOT.
  fillfactor = 80, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0
);
create index trigger_due on headrace.trigger (fire_at) where enabled and fire_at is not null;
create index trigger_uncomputed on headrace.trigger (id) where enabled and next_run_at is null and trigger_type <> 'event';
create index trigger_pending on headrace.trigger (id) where pending_due_at is not null;
create index trigger_event on headrace.trigger (tenant_id, event) where enabled and trigger_type = 'event';
create index trigger_stopped on headrace.trigger (tenant_id) where stopped_at is not null;

-- What history calls a trigger that is gone.
create table headrace.deleted_trigger (
  id             uuid not null primary key,
  tenant_id      int not null,
  name           text not null,
  definition_id  int not null,
  deleted_at     timestamptz not null default now()
);

-- Each due time once: fired, with the job; or skipped, with the reason. A row with "until" stands for a stretch, with n
-- due times in it (null: not counted). "occasion" distinguishes what may happen to one due time more than once: '' is the
-- schedule itself, else the id of a backfill or of a run by hand. job_id of what was skipped is the job in its way.
create table headrace.fire (
  trigger_id    uuid not null,
  due_at        timestamptz not null,
  occasion      text not null default '',
  outcome       text not null check (outcome in ('fired', 'skipped')),
  reason        text,
  detail        text,
  until         timestamptz,
  n             int,
  job_id        uuid,
  triggered_by  text not null,
  at            timestamptz not null default clock_timestamp(),
  primary key (trigger_id, due_at, occasion),
  constraint fired_means_a_job check (outcome <> 'fired' or (job_id is not null and until is null and reason is null)),
  constraint skipped_means_a_reason check (outcome <> 'skipped' or reason is not null),
  constraint a_stretch_ends_after_it_starts check (until >= due_at)
);
create index fire_age on headrace.fire (at);
-- What a trigger of a definition that is gone was due for has come to nothing: alerts look for it as for what was missed.
create index fire_missed on headrace.fire (at) where reason in ('missed', 'over_cap', 'superseded', 'deleted_from_code');

-- Which versions of an init trigger have fired: kept for ever.
create table headrace.fired_once (
  trigger_id  uuid not null,
  version     text not null,
  job_id      uuid not null,
  primary key (trigger_id, version)
);

-- Within its window a trigger enqueues the same payload once.
create table headrace.dedupe (
  trigger_id    uuid not null,
  payload_hash  bytea not null,
  until         timestamptz not null,
  job_id        uuid not null,
  primary key (trigger_id, payload_hash)
);
create index dedupe_until on headrace.dedupe (until);

-- ==================== Events

-- Facts that applications publish, and what event triggers made of each.

create table headrace.event (
  id              uuid not null primary key,
  tenant_id       int not null,
  name            text not null,
  data            jsonb not null,
  correlation_id  text,
  emitted_at      timestamptz not null default clock_timestamp(),
  -- Only where it could not be dispatched at all: what single triggers could not do stands in their deliveries.
  error           text,
  trace_context   text default headrace._trace_context()
);
-- The newest events of one tenant, without a look at those of others.
create index event_tenant on headrace.event (tenant_id, id desc);

-- A key gives the same event for as long as that event is kept.
create table headrace.event_key (
  tenant_id     int not null,
  key           text not null check (length(key) between 1 and 500),
  event_id      uuid unique,
  request_hash  bytea not null,
  primary key (tenant_id, key)
);

-- A row is an event not yet handled. A queue and not a cursor: transactions commit in any order. Tenants take turns.
--   not_before   also the end of a dispatcher's hold on the event, which another dispatcher may take then
--   batch_limit  the largest batch in which the event is dispatched: a batch that fails comes back smaller. Null: the
--                dispatcher's own limit
--   begun        some of its triggers have their delivery, and the others wait for the tenant's next turn
create table headrace.event_inbox (
  seq          bigint generated always as identity primary key,
  event_id     uuid not null,
  attempts     int not null default 0,
  not_before   timestamptz,
  tenant_id    int not null,
  batch_limit  int check (batch_limit > 0),
  begun        boolean not null default false
) with (
  autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0,
  -- A hold is an update of each row: with room on its page no index is written.
  fillfactor = 50
);
create index event_inbox_turn on headrace.event_inbox (tenant_id, seq);

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

-- How many jobs an event trigger made. Not in the trigger's own row, which dispatchers only share: a dispatcher that counted
-- there would hold up the others, or end in a deadlock with them. Each session has one of a few rows of a trigger to itself.
create table headrace.event_fires (
  trigger_id  uuid not null references headrace.trigger (id) on delete cascade,
  slot        smallint not null,
  fires       bigint not null,
  primary key (trigger_id, slot)
) with (fillfactor = 50);

-- Whether a dispatcher sleeps and needs a notification, for NOTIFY serialises commits across the server. One row: every emit
-- reads it, and a dispatcher writes it only when it falls asleep or finds itself busy.
create table headrace.event_watch (
  the_only  boolean primary key default true check (the_only),
  armed     boolean not null default true
) with (fillfactor = 10);
insert into headrace.event_watch default values;

-- ==================== Logs

-- What jobs print and log: the lines in daily partitions, and what their search is made of.

-- ANSI escapes are kept for display and are nothing to search for.
create function headrace._log_text(message text) returns text language sql immutable parallel safe as $$
  select case when strpos(message, e'\x1b') = 0 then message
              else regexp_replace(message, e'\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[@-Z\\\\^_])', '', 'g') end
$$;

-- The parser would take a dotted name for a host, a path for one word, -42 for a number and <module> for markup, and
-- no search would find their parts. Blanked on both sides; nested calls of replace are eight times as fast as translate.
create function headrace._log_words(message text) returns tsvector language sql immutable parallel safe as $$
  select to_tsvector('pg_catalog.simple'::regconfig,
    replace(replace(replace(replace(replace(replace(headrace._log_text(message),
      '.', ' '), '/', ' '), '-', ' '), '<', ' '), '&', ' '), '+', ' '))
$$;

-- Filters within the GIN index, as integers that never meet: tenants are positive, tens of levels from -1 to -11,
-- definitions below -1000, minutes from minus one and hours from minus two billion down. With minutes and hours a
-- search reads as much of the index as the stretch of time that it looks at, and not a whole day.
create function headrace._log_minute(at timestamptz) returns int language sql immutable parallel safe as $$
  select -1000000000 - floor(date_part('epoch', at - timestamptz '2000-01-01 00:00:00+00') / 60)::int
$$;

create function headrace._log_hour(at timestamptz) returns int language sql immutable parallel safe as $$
  select -2000000000 - floor(date_part('epoch', at - timestamptz '2000-01-01 00:00:00+00') / 3600)::int
$$;

create function headrace._log_tags(tenant_id int, definition_id int, level smallint, at timestamptz) returns int[]
language sql immutable parallel safe as $$
  select array[tenant_id, -1000 - definition_id, -1 - level / 10, headrace._log_minute(at), headrace._log_hour(at)]
$$;

-- "at" is the database's time as the run's writer reckons it, never now(): a batch would share it. It is in the key
-- because partitions ask for it, so only a repeat of the very same line is refused.
create table headrace.log (
  tenant_id      int not null,
  definition_id  int not null,
  job_id         uuid not null,
  run            int not null,
  seq            int not null,
  at             timestamptz not null,
  level          smallint not null check (level between 0 and 100),
  stream         smallint not null,
  message        text not null,
  fields         jsonb,
  primary key (job_id, run, seq, at)
) partition by range (at);
create index log_at on headrace.log (at);
-- Tags first: GIN steps through what the first condition allows, and a word is in more lines than a minute has.
create index log_search on headrace.log using gin (
  headrace._log_tags(tenant_id, definition_id, level, at), headrace._log_words(message));

-- "leaving": old, and no longer written to or searched, but perhaps not yet gone.
create table headrace.log_partition (
  lower_bound  timestamptz primary key,
  upper_bound  timestamptz not null unique,
  suffix       text not null unique,
  leaving      boolean not null default false,
  check (lower_bound < upper_bound)
);

-- ==================== Counts

-- Counts for screens and metrics, so that no reader counts history. Each statement that changes jobs notes a delta in the same
-- transaction, and a fold adds the deltas to rollups a moment later: there is no row that all of them write to.

-- The upper bounds of the histograms, in seconds, and nowhere else. Bucket 0 lies below the first, bucket n above the n-th;
-- in an array of counts bucket 0 comes first, and what is not there is 0.
create function headrace.histogram_bounds() returns float8[] language sql immutable parallel safe as $$
  select '{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 14400}'::float8[]
$$;

-- A loop, for an aggregate over SQL functions takes ten times as long.
create function headrace._add_buckets(one bigint[], other anyarray) returns bigint[] language plpgsql immutable strict parallel safe as $$
begin
  for bucket in 1 .. cardinality(other) loop
    one[bucket] := coalesce(one[bucket], 0) + other[bucket];
  end loop;
  return one;
end $$;

create aggregate headrace.sum_buckets(anyarray) (sfunc = headrace._add_buckets, stype = bigint[], initcond = '{}', parallel = safe);

-- Written and soon deleted, never updated; without an index, for it is always read whole.
--   outcome        how runs ended; null: jobs came into the queue
--   again          came back by a person's retry
--   final          the status in which the jobs ended, if they did
--   latency        from queued to started, of runs that a worker had
--   duration       from started to finished
create table headrace.rollup_delta (
  at                timestamptz not null,
  tenant_id         int not null,
  lane_id           int not null,
  n                 int not null,
  outcome           headrace.attempt_outcome,
  final             headrace.job_status,
  latency_bucket    smallint,
  duration_bucket   smallint,
  again             boolean not null default false,
  latency_seconds   float8,
  duration_seconds  float8
) with (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_threshold = 1000000);

-- What happened in a minute, not what is: a job that a person retries and that ends again has ended twice.
--   enqueued, requeued                        jobs that came in, by a person's retry
--   succeeded, failed, canceled, dead_letter  jobs that ended so
--   runs                                      attempts that a worker had and that ended; each has its latency, and its
--                                             duration unless it was released, lost, snoozed or canceled
--   retried                                   … after which the job waits again, with an attempt spent
--   timed_out, lost, snoozed, released        … with this outcome, whether the job ended or not
--   depth                                     the most jobs that were seen waiting (queued) at one time
create table headrace.rollup (
  minute            timestamptz not null,
  tenant_id         int not null,
  definition_id     int not null,
  enqueued          int not null default 0,
  requeued          int not null default 0,
  succeeded         int not null default 0,
  failed            int not null default 0,
  canceled          int not null default 0,
  dead_letter       int not null default 0,
  runs              int not null default 0,
  retried           int not null default 0,
  timed_out         int not null default 0,
  lost              int not null default 0,
  snoozed           int not null default 0,
  released          int not null default 0,
  depth             int not null default 0,
  latency_sum       float8 not null default 0,
  duration_sum      float8 not null default 0,
  latency_buckets   int[] not null default '{}',
  duration_buckets  int[] not null default '{}',
  primary key (minute, tenant_id, definition_id)
) with (fillfactor = 70);
create index rollup_tenant on headrace.rollup (tenant_id, minute);
create index rollup_definition on headrace.rollup (definition_id, minute);

-- The same for hours, to show days: sixty times fewer rows.
create table headrace.rollup_hour (like headrace.rollup including defaults) with (fillfactor = 70);
alter table headrace.rollup_hour rename column minute to hour;
alter table headrace.rollup_hour add primary key (hour, tenant_id, definition_id);
create index rollup_hour_tenant on headrace.rollup_hour (tenant_id, hour);
create index rollup_hour_definition on headrace.rollup_hour (definition_id, hour);

-- The same since the beginning, for counters that must never go down.
create table headrace.rollup_total (
  tenant_id         int not null,
  definition_id     int not null,
  enqueued          bigint not null default 0,
  requeued          bigint not null default 0,
  succeeded         bigint not null default 0,
  failed            bigint not null default 0,
  canceled          bigint not null default 0,
  dead_letter       bigint not null default 0,
  runs              bigint not null default 0,
  retried           bigint not null default 0,
  timed_out         bigint not null default 0,
  lost              bigint not null default 0,
  snoozed           bigint not null default 0,
  released          bigint not null default 0,
  latency_sum       float8 not null default 0,
  duration_sum      float8 not null default 0,
  latency_buckets   bigint[] not null default '{}',
  duration_buckets  bigint[] not null default '{}',
  primary key (tenant_id, definition_id)
) with (fillfactor = 50);

-- How many jobs there were at the last sample: counting a million takes its time, so no reader counts for itself.
create table headrace.queue_sample (
  tenant_id         int not null,
  lane_id           int not null,
  status            headrace.job_status not null,
  jobs              bigint not null,
  oldest_queued_at  timestamptz,
  primary key (tenant_id, lane_id, status)
) with (fillfactor = 50);

-- One row. Its lock says whose turn it is to fold or to sample, what the last turn took when the next one is due.
create table headrace.rollup_turn (
  id           boolean primary key default true check (id),
  folded_at    timestamptz not null default 'epoch',
  fold_took    interval not null default '0',
  sampled_at   timestamptz not null default 'epoch',
  sample_took  interval not null default '0'
) with (fillfactor = 50);
insert into headrace.rollup_turn default values;

-- ==================== Control plane

-- The token itself is shown once and never stored: 256 random bits need no salt and no slow hash.
create table headrace.token (
  id            uuid not null primary key default gen_random_uuid(),
  name          text not null check (length(name) between 1 and 200),
  hash          bytea not null unique check (length(hash) = 32),
  role          text not null check (role in ('super_admin', 'tenant_admin', 'tenant_viewer', 'worker', 'metrics')),
  tenant_id     int references headrace.tenant (id),
  queues        text[] not null default '{*}',
  created_at    timestamptz not null default now(),
  created_by    text not null,
  expires_at    timestamptz,
  last_used_at  timestamptz,
  revoked_at    timestamptz,
  constraint tenants_roles_have_a_tenant check ((role in ('tenant_admin', 'tenant_viewer')) = (tenant_id is not null)),
  constraint only_workers_have_queues check (role = 'worker' or queues = '{*}')
);

-- A browser that signed in. It holds a random secret in a cookie; known here by its hash, as tokens are. It stands for a token
-- and falls with it.
create table headrace.session (
  hash        bytea not null primary key check (length(hash) = 32),
  token_id    uuid not null references headrace.token (id) on delete cascade,
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null
);
create index session_token on headrace.session (token_id);
create index session_expires on headrace.session (expires_at);

-- What a sign-in link has instead of its token: good for one session, within a minute. Known by its hash alone, too.
create table headrace.sign_in_code (
  hash        bytea not null primary key check (length(hash) = 32),
  token_id    uuid not null references headrace.token (id) on delete cascade,
  expires_at  timestamptz not null
);
create index sign_in_code_token on headrace.sign_in_code (token_id);

-- What all servers of this installation seal the cursors of lists with. One row, for the owner alone.
create table headrace.cursor_key (
  only_row  boolean primary key default true check (only_row),
  key       bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    check (length(key) = 32)
);
insert into headrace.cursor_key default values;

-- Every change by a person or a program, written in the change's own transaction. Never changed, and deleted only when it is
-- older than its retention.
create table headrace.audit (
  id         bigint generated always as identity primary key,
  at         timestamptz not null default now(),
  who        text not null,
  role       text not null,
  action     text not null,
  tenant_id  int,
  target     text,
  detail     jsonb not null default '{}'
);
create index audit_tenant on headrace.audit (tenant_id, id desc);
create index audit_target on headrace.audit (target, id desc);
create index audit_at on headrace.audit (at);

-- A change to many jobs, made in batches by whichever process comes first. "position" is the last job looked at.
create table headrace.operation (
  id           uuid not null primary key default gen_random_uuid(),
  tenant_id    int references headrace.tenant (id),
  action       text not null check (action in ('cancel', 'retry', 'delete')),
  filter       jsonb not null,
  state        text not null default 'running' check (state in ('running', 'done', 'canceled', 'failed')),
  expected     int not null,
  done         int not null default 0,
  left_alone   int not null default 0,
  position     uuid,
  error        text,
  created_at   timestamptz not null default now(),
  created_by   text not null,
  updated_at   timestamptz not null default now(),
  finished_at  timestamptz,
  -- How fast a bulk operation may go; none is as fast as it can.
  per_second   int constraint a_pace check (per_second between 1 and 1000),
  constraint ended_means_finished check ((state = 'running') = (finished_at is null))
);
create index operation_running on headrace.operation (created_at) where state = 'running';
create index operation_tenant on headrace.operation (tenant_id, created_at desc);

-- ==================== Alerts

-- Rules, the incidents that they see, and the notices that were sent. A rule, target or alert without a tenant is the server's
-- own: it looks at the jobs of all tenants, and only super-admins see it.

-- Where notices go: an address of the web, people's e-mail addresses, or a command by its key.
create table headrace.alert_target (
  id          uuid not null primary key default gen_random_uuid(),
  tenant_id   int references headrace.tenant (id),
  name        text not null check (length(name) between 1 and 200),
  kind        text not null check (kind in ('webhook', 'email', 'command')),
  address     text not null check (length(address) between 1 and 2000),
  -- The key of a webhook's signature, encrypted; null: not signed.
  secret      jsonb,
  created_at  timestamptz not null default now(),
  created_by  text not null,
  unique nulls not distinct (tenant_id, name),
  constraint only_webhooks_are_signed check (kind = 'webhook' or secret is null)
);

-- What a rule looks for, and which targets get its notices.
--   enabled_at  what happened before does not count
--   told_at     when the last notice of a new alert was made; alerts that come within group_seconds wait, and go together
create table headrace.alert_rule (
  id                     uuid not null primary key default gen_random_uuid(),
  tenant_id              int references headrace.tenant (id),
  name                   text not null check (length(name) between 1 and 200),
  kind                   text not null check (kind in ('job_died', 'failures_in_a_row', 'failure_rate', 'oldest_queued', 'no_worker',
                                                       'missed_fire', 'trigger_disabled', 'running_long')),
  parameters             jsonb not null default '{}' check (jsonb_typeof(parameters) = 'object'),
  targets                uuid[] not null default '{}' check (cardinality(targets) <= 10),
  enabled                boolean not null default true,
  enabled_at             timestamptz not null default clock_timestamp(),
  -- Null: as the kind of the rule has it.
  recover_after_seconds  double precision check (recover_after_seconds between 0 and 86400),
  group_seconds          double precision not null default 30 check (group_seconds between 0 and 86400),
  repeat_seconds         double precision check (repeat_seconds between 1 and 2592000),
  escalate_after         int check (escalate_after between 1 and 1000),
  escalate_to            uuid,
  quiet_from             text check (quiet_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  quiet_until            text check (quiet_until ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  timezone               text not null default 'UTC' check (length(timezone) <= 100),
  told_at                timestamptz,
  created_at             timestamptz not null default now(),
  created_by             text not null,
  unique nulls not distinct (tenant_id, name),
  constraint quiet_hours_have_two_ends check ((quiet_from is null) = (quiet_until is null)),
  constraint quiet_hours_have_a_length check (quiet_from <> quiet_until),
  constraint escalation_has_both check ((escalate_after is null) = (escalate_to is null)),
  constraint escalation_is_to_another check (not escalate_to = any(targets)),
  constraint escalation_follows_repeats check (escalate_after is null or repeat_seconds is not null)
);
create index alert_rule_enabled on headrace.alert_rule (id) where enabled;

-- An incident: open while its condition holds, and for as long after as the rule says. One at a time for each subject.
--   subject           what it is about: a definition, a queue or a trigger
--   count, measure    how many and how much, when last seen
--   notices           how many notices there were, that of its end not counted
--   recovery_told_at  when its end was noticed; null while a target that got a notice of the alert has none of its end
create table headrace.alert (
  id                uuid not null primary key default gen_random_uuid(),
  rule_id           uuid not null references headrace.alert_rule (id) on delete cascade,
  tenant_id         int references headrace.tenant (id),
  subject           text not null,
  since             timestamptz not null,
  last_seen         timestamptz not null,
  count             bigint not null,
  measure           double precision,
  job_id            uuid,
  error             text,
  notices           int not null default 0,
  told_at           timestamptz,
  escalated_at      timestamptz,
  acknowledged_at   timestamptz,
  acknowledged_by   text,
  closed_at         timestamptz,
  closed_by         text,
  recovery_told_at  timestamptz
) with (fillfactor = 70);
create unique index alert_open on headrace.alert (rule_id, subject) where closed_at is null;
create index alert_untold on headrace.alert (rule_id) where closed_at is not null and told_at is not null and recovery_told_at is null;
create index alert_closed on headrace.alert (rule_id, subject, closed_at desc);
create index alert_age on headrace.alert (since desc, id desc);
create index alert_tenant on headrace.alert (tenant_id, since desc, id desc);

-- What is to be sent to one target, once: one notice for many alerts of a rule. Its job carries no more than its id.
create table headrace.alert_notice (
  id          uuid not null primary key default gen_random_uuid(),
  tenant_id   int references headrace.tenant (id),
  rule_id     uuid,
  target_id   uuid not null,
  event       text not null check (event in ('firing', 'repeated', 'escalated', 'recovered', 'test')),
  body        jsonb not null,
  job_id      uuid,
  created_at  timestamptz not null default clock_timestamp(),
  sent_at     timestamptz
);
create index alert_notice_age on headrace.alert_notice (created_at);

-- Each attempt to send one. Without an error the notice arrived.
create table headrace.alert_delivery (
  id           bigint generated always as identity primary key,
  notice_id    uuid not null references headrace.alert_notice (id) on delete cascade,
  tenant_id    int references headrace.tenant (id),
  target       text not null,
  at           timestamptz not null,
  seconds      double precision not null,
  status_code  int,
  error        text
);
create index alert_delivery_notice on headrace.alert_delivery (notice_id);
create index alert_delivery_tenant on headrace.alert_delivery (tenant_id, id desc);

-- One row. Its lock says whose turn it is to look, and what the last look took when the next one is due.
create table headrace.alert_turn (
  id         boolean primary key default true check (id),
  looked_at  timestamptz not null default 'epoch',
  took       interval not null default '0'
) with (fillfactor = 50);
insert into headrace.alert_turn default values;

-- ==================== Row-level security

-- The second wall between tenants. Requests for one tenant run under the role headrace_tenant, which owns nothing, with
-- headrace.tenant_id set for the transaction; without it they see nothing. Policies do not hold for the owner. Those for the
-- other roles are made with the roles: ../functions/grants.sql.

-- In a sub-select, so that the function is called once and not for every row.
alter table headrace.tenant enable row level security;
create policy own on headrace.tenant using (id = (select headrace._current_tenant()));
alter table headrace.alert enable row level security;
create policy own on headrace.alert using (tenant_id = (select headrace._current_tenant()));
alter table headrace.alert_delivery enable row level security;
create policy own on headrace.alert_delivery using (tenant_id = (select headrace._current_tenant()));
alter table headrace.alert_notice enable row level security;
create policy own on headrace.alert_notice using (tenant_id = (select headrace._current_tenant()));
alter table headrace.alert_rule enable row level security;
create policy own on headrace.alert_rule using (tenant_id = (select headrace._current_tenant()));
alter table headrace.alert_target enable row level security;
create policy own on headrace.alert_target using (tenant_id = (select headrace._current_tenant()));
alter table headrace.attempt enable row level security;
create policy own on headrace.attempt using (tenant_id = (select headrace._current_tenant()));
alter table headrace.audit enable row level security;
create policy own on headrace.audit using (tenant_id = (select headrace._current_tenant()));
alter table headrace.deleted_trigger enable row level security;
create policy own on headrace.deleted_trigger using (tenant_id = (select headrace._current_tenant()));
alter table headrace.event enable row level security;
create policy own on headrace.event using (tenant_id = (select headrace._current_tenant()));
alter table headrace.event_inbox enable row level security;
create policy own on headrace.event_inbox using (tenant_id = (select headrace._current_tenant()));
alter table headrace.event_key enable row level security;
create policy own on headrace.event_key using (tenant_id = (select headrace._current_tenant()));
alter table headrace.idempotency enable row level security;
create policy own on headrace.idempotency using (tenant_id = (select headrace._current_tenant()));
alter table headrace.job enable row level security;
create policy own on headrace.job using (tenant_id = (select headrace._current_tenant()));
alter table headrace.log enable row level security;
create policy own on headrace.log using (tenant_id = (select headrace._current_tenant()));
alter table headrace.operation enable row level security;
create policy own on headrace.operation using (tenant_id = (select headrace._current_tenant()));
alter table headrace.queue enable row level security;
create policy own on headrace.queue using (tenant_id = (select headrace._current_tenant()));
alter table headrace.queue_sample enable row level security;
create policy own on headrace.queue_sample using (tenant_id = (select headrace._current_tenant()));
alter table headrace.rollup enable row level security;
create policy own on headrace.rollup using (tenant_id = (select headrace._current_tenant()));
alter table headrace.rollup_hour enable row level security;
create policy own on headrace.rollup_hour using (tenant_id = (select headrace._current_tenant()));
alter table headrace.rollup_total enable row level security;
create policy own on headrace.rollup_total using (tenant_id = (select headrace._current_tenant()));
alter table headrace.tenant_pause enable row level security;
create policy own on headrace.tenant_pause using (tenant_id = (select headrace._current_tenant()));
alter table headrace.trigger enable row level security;
create policy own on headrace.trigger using (tenant_id = (select headrace._current_tenant()));

-- These rows have no tenant of their own: a tenant sees them where it sees their job or trigger.
alter table headrace.event_fires enable row level security;
create policy own on headrace.event_fires using (exists (select from headrace.trigger where trigger.id = trigger_id));
alter table headrace.progress enable row level security;
create policy own on headrace.progress using (exists (select from headrace.job where job.id = job_id));
alter table headrace.waiter enable row level security;
create policy own on headrace.waiter using (exists (select from headrace.job where job.id = job_id));
alter table headrace.dedupe enable row level security;
create policy own on headrace.dedupe using (exists (select from headrace.trigger where trigger.id = trigger_id)
  or exists (select from headrace.deleted_trigger where deleted_trigger.id = trigger_id));
alter table headrace.delivery enable row level security;
create policy own on headrace.delivery using (exists (select from headrace.trigger where trigger.id = trigger_id)
  or exists (select from headrace.deleted_trigger where deleted_trigger.id = trigger_id));
alter table headrace.fire enable row level security;
create policy own on headrace.fire using (exists (select from headrace.trigger where trigger.id = trigger_id)
  or exists (select from headrace.deleted_trigger where deleted_trigger.id = trigger_id));
alter table headrace.fired_once enable row level security;
create policy own on headrace.fired_once using (exists (select from headrace.trigger where trigger.id = trigger_id)
  or exists (select from headrace.deleted_trigger where deleted_trigger.id = trigger_id));
