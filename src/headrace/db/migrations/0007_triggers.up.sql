-- Rules that enqueue jobs, what came of each of their due times, and how both are written with SQL alone.

-- When a time trigger is due is computed ahead, in Python:
--   next_run_at     the due time; null: compute it; infinity: there are no more
--   fire_at         that with jitter, which is what schedulers look at
--   effective_from  since when the rule holds: due times are computed from here
--   uncovered_from  due times from here to effective_from came to nothing (uncovered_why), and nobody has noted it yet
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
  cron_expr              text,
  interval_seconds       double precision check (interval_seconds > 0),
  timezone               text not null default 'UTC',
  starts_at              timestamptz,
  ends_at                timestamptz,
  max_fires              int check (max_fires > 0),
  init_version           text not null default '',
  event_name             text check (event_name ~ '^(\*|[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(\.\*)?)$' and length(event_name) <= 200),
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
  unique (tenant_id, name),
  constraint a_schedule_has_one_rule check (
    (trigger_type = 'schedule') = (cron_expr is not null or interval_seconds is not null)
    and num_nonnulls(cron_expr, interval_seconds) < 2),
  constraint an_event_has_a_name check ((trigger_type = 'event') = (event_name is not null)),
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
  constraint jitter_is_shorter_than_the_interval check (jitter_seconds < interval_seconds)
) with (
  -- fire_at is indexed, so no advance is HOT.
  fillfactor = 80, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0
);
create index trigger_due on headrace.trigger (fire_at) where enabled and fire_at is not null;
create index trigger_uncomputed on headrace.trigger (id) where enabled and next_run_at is null and trigger_type <> 'event';
create index trigger_pending on headrace.trigger (id) where pending_due_at is not null;
create index trigger_event on headrace.trigger (tenant_id, event_name) where enabled and trigger_type = 'event';

-- What history calls a trigger that is gone.
create table headrace.deleted_trigger (
  id             uuid not null primary key,
  tenant_id      int not null,
  name           text not null,
  definition_id  int not null,
  deleted_at     timestamptz not null default now()
);

-- Each due time once: fired, with the job; or skipped, with the reason. A row with "until" stands for a stretch, with n
-- due times in it (null: not counted). "occasion" tells apart what may happen to one due time more than once: '' is the
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

-- Whose due time a live job stands for, set only where a trigger wants to know: plain jobs pay nothing.
alter table headrace.queue add column overlap_id uuid;
create index queue_overlap on headrace.queue (overlap_id) where overlap_id is not null;

-- Plain SQL is as safe as the API: whoever changes a rule or turns it on has the next due time computed anew, whatever
-- the old rule left undone is noted, and a scheduler is woken.
create function headrace._trigger_changed() returns trigger language plpgsql as $$
declare
  edited constant boolean :=
    (new.trigger_type, new.cron_expr, new.interval_seconds, new.timezone, new.starts_at, new.ends_at, new.max_fires,
     new.init_version) is distinct from
    (old.trigger_type, old.cron_expr, old.interval_seconds, old.timezone, old.starts_at, old.ends_at, old.max_fires,
     old.init_version);
  turned_on constant boolean := new.enabled and not old.enabled;
begin
  new.version := old.version + 1;
  if (edited or turned_on) and new.next_run_at is not distinct from old.next_run_at then
    new.next_run_at := null;
    new.fire_at := null;
    new.effective_from := clock_timestamp();
    -- One that had finished left nothing undone.
    new.uncovered_from := least(old.uncovered_from, case when isfinite(old.next_run_at) then old.next_run_at end);
    new.uncovered_why := case when edited then 'edited' else coalesce(old.uncovered_why, 'disabled') end;
  end if;
  if new.interval_seconds is not null and new.starts_at is null then
    new.starts_at := new.effective_from;
  end if;
  if edited or turned_on then
    new.last_error := case when new.last_error is distinct from old.last_error then new.last_error end;
    new.pause_note := case when new.pause_note is distinct from old.pause_note or not new.enabled then new.pause_note end;
  end if;
  if old.pending_due_at is not null and (edited or not new.enabled) then
    insert into headrace.fire (trigger_id, due_at, outcome, reason, triggered_by)
    values (old.id, old.pending_due_at, 'skipped', case when new.enabled then 'edited' else 'disabled' end, 'scheduler')
    on conflict do nothing;
    new.pending_due_at := null;
  end if;
  if new.enabled and new.trigger_type <> 'event' then
    perform pg_notify('headrace', 'triggers');
  end if;
  return new;
end $$;
-- Columns that a scheduler's advance does not set, so that it pays nothing here.
create trigger note_change before update of
    name, definition_id, trigger_type, cron_expr, interval_seconds, timezone, starts_at, ends_at, max_fires, init_version,
    event_name, payload, condition, queue, priority, max_attempts, catch_up, catch_up_cap, misfire_grace_seconds, overlap,
    jitter_seconds, dedupe_window_seconds, pause_on_failures, enabled
  on headrace.trigger for each row
  when ((new.name, new.definition_id, new.trigger_type, new.cron_expr, new.interval_seconds, new.timezone, new.starts_at,
         new.ends_at, new.max_fires, new.init_version, new.event_name, new.payload, new.condition, new.queue, new.priority,
         new.max_attempts, new.catch_up, new.catch_up_cap, new.misfire_grace_seconds, new.overlap, new.jitter_seconds,
         new.dedupe_window_seconds, new.pause_on_failures, new.enabled) is distinct from
        (old.name, old.definition_id, old.trigger_type, old.cron_expr, old.interval_seconds, old.timezone, old.starts_at,
         old.ends_at, old.max_fires, old.init_version, old.event_name, old.payload, old.condition, old.queue, old.priority,
         old.max_attempts, old.catch_up, old.catch_up_cap, old.misfire_grace_seconds, old.overlap, old.jitter_seconds,
         old.dedupe_window_seconds, old.pause_on_failures, old.enabled))
  execute function headrace._trigger_changed();

-- Somebody said when it is due next, or that this is to be computed. Schedulers set next_run_at and fire_at together.
create function headrace._due_time_set() returns trigger language plpgsql as $$
begin
  new.fire_at := new.next_run_at;
  if new.next_run_at is null then
    new.effective_from := clock_timestamp();
    new.uncovered_from := least(old.uncovered_from, case when isfinite(old.next_run_at) then old.next_run_at end);
    new.uncovered_why := coalesce(new.uncovered_why, 'edited');
  end if;
  if new.enabled and new.trigger_type <> 'event' then
    perform pg_notify('headrace', 'triggers');
  end if;
  return new;
end $$;
create trigger note_due_time before update of next_run_at on headrace.trigger for each row
  when (new.next_run_at is distinct from old.next_run_at and new.fire_at is not distinct from old.fire_at)
  execute function headrace._due_time_set();

create function headrace._trigger_created() returns trigger language plpgsql as $$
begin
  new.version := 1;
  new.effective_from := clock_timestamp();
  if new.interval_seconds is not null and new.starts_at is null then
    new.starts_at := new.effective_from;
  end if;
  new.fire_at := new.next_run_at;
  if new.enabled and new.trigger_type <> 'event' then
    perform pg_notify('headrace', 'triggers');
  end if;
  return new;
end $$;
create trigger note_creation before insert on headrace.trigger for each row execute function headrace._trigger_created();

create function headrace._trigger_deleted() returns trigger language plpgsql as $$
begin
  insert into headrace.deleted_trigger (id, tenant_id, name, definition_id)
  values (old.id, old.tenant_id, old.name, old.definition_id) on conflict (id) do nothing;
  if old.pending_due_at is not null then
    insert into headrace.fire (trigger_id, due_at, outcome, reason, triggered_by)
    values (old.id, old.pending_due_at, 'skipped', 'deleted', 'scheduler') on conflict do nothing;
  end if;
  return old;
end $$;
create trigger note_deletion before delete on headrace.trigger for each row execute function headrace._trigger_deleted();

-- A job that a person retries stands for its due time again.
create or replace function headrace.retry(job_id uuid) returns boolean language plpgsql as $$
declare
  record headrace.job := headrace._job_or_error(retry.job_id);
  ended headrace.attempt;
  holder uuid;
begin
  -- The lock makes a second retry wait, and then find no final left. Only the final attempt is ever updated.
  select * into ended from headrace.attempt as a where a.job_id = record.id and a.final is not null for update;
  if ended.job_id is null then
    return false;
  end if;
  perform headrace._runnable((select key from headrace.definition where id = record.definition_id));
  update headrace.attempt as a set final = null where a.job_id = record.id and a.run = ended.run;
  loop
    insert into headrace.queue (job_id, tenant_id, lane_id, status, queued_at, priority, max_attempts, run, dedupe_key,
                                dedupe_waiting, overlap_id)
    values (record.id, record.tenant_id, record.lane_id, 'queued', now(), record.priority, record.max_attempts, ended.run,
            record.dedupe_key, record.dedupe_waiting,
            (select t.id from headrace.trigger as t where t.id = record.source_ref and t.overlap <> 'allow'))
    on conflict (tenant_id, dedupe_key) where dedupe_key is not null do nothing;
    exit when found;
    select q.job_id into holder from headrace.queue as q
     where q.tenant_id = record.tenant_id and q.dedupe_key = record.dedupe_key;
    -- If the holder ended between the two statements, the key is free and we try again.
    continue when holder is null;
    raise exception 'job "%" cannot be retried: job "%" holds its dedupe key "%"', record.id, holder, record.dedupe_key
      using errcode = 'HR409', detail = holder::text, hint = 'Wait for that job to end, or cancel it.';
  end loop;
  perform headrace._wake_workers();
  return true;
end $$;
