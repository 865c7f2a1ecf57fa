-- The record of a request (job), the small hot table of live ones (queue) and what came of each run (attempt).
-- No foreign keys among the three: partitions of job and attempt must come and go without touching queue.

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
  created_by       text
) partition by range (id);

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
  constraint a_live_status check (status in ('scheduled', 'queued', 'running')),
  constraint scheduled_has_a_time check ((status = 'scheduled') = (run_at is not null)),
  constraint running_has_a_worker check ((status = 'running') = (worker_id is not null)),
  constraint running_was_claimed check ((status = 'running') = (claimed_at is not null)),
  constraint waiting_since check ((status = 'scheduled') = (queued_at is null)),
  constraint only_running_is_told_to_cancel check (status = 'running' or not cancel_requested),
  constraint spent_within_maximum check (spent >= 0 and spent < max_attempts),
  constraint run_counts_claims check (run >= 0)
) with (
  autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_threshold = 50000, autovacuum_analyze_scale_factor = 0.2
);
create index queue_claim on headrace.queue (lane_id, priority, seq) where status = 'queued' and not suspect;
create index queue_suspect on headrace.queue (lane_id, priority, seq) where status = 'queued' and suspect;
create index queue_held on headrace.queue (worker_id) where status = 'running';
create index queue_due on headrace.queue (run_at) where status = 'scheduled';
create unique index queue_dedupe on headrace.queue (tenant_id, dedupe_key) where dedupe_key is not null;

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
  primary key (job_id, run),
  constraint a_final_status check (final in ('succeeded', 'failed', 'canceled', 'dead_letter')),
  constraint started_means_a_worker check ((started_at is null) = (worker_id is null)),
  constraint success_is_final check (final is null or (final = 'succeeded') = (outcome = 'succeeded'))
) partition by range (job_id);
-- A status lives in one place; these find the newest of a terminal one without reading history.
create index attempt_final on headrace.attempt (tenant_id, final, job_id desc) where final is not null;
create index attempt_trouble on headrace.attempt (final, job_id desc) where final <> 'succeeded';

-- For as long as history is kept, a key gives the same job. Unpartitioned: uniqueness holds over all time.
create table headrace.idempotency (
  tenant_id     int not null,
  key           text not null check (length(key) between 1 and 500),
  job_id        uuid not null,
  request_hash  bytea not null,
  primary key (tenant_id, key)
);

-- The last progress a job reported; written at most once a second a job, apart from the hot table.
create table headrace.progress (
  job_id      uuid not null primary key,
  fraction    real check (fraction between 0 and 1),
  message     text,
  updated_at  timestamptz not null default now()
);

-- Who waits for a job's end. A finish notifies these only, so that nobody pays for nobody waiting.
create unlogged table headrace.waiter (
  job_id      uuid not null,
  waiter_id   uuid not null,
  expires_at  timestamptz not null,
  primary key (job_id, waiter_id)
);
