-- Who is told when something goes wrong: rules, the incidents that they see, and what was sent about them.
-- A rule, target or alert without a tenant is the server's own: it looks at everybody's jobs, and only super-admins see it.

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

-- enabled_at  what happened before does not count
-- told_at     when it last told of a new alert; those that come within group_seconds wait, and go together
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
  recover_after_seconds  double precision not null default 60 check (recover_after_seconds between 0 and 86400),
  group_seconds          double precision not null default 30 check (group_seconds between 0 and 86400),
  repeat_seconds         double precision check (repeat_seconds between 1 and 2592000),
  escalate_after         int check (escalate_after between 1 and 1000),
  escalate_to            uuid,
  quiet_from             time,
  quiet_until            time,
  timezone               text not null default 'UTC',
  told_at                timestamptz,
  created_at             timestamptz not null default now(),
  created_by             text not null,
  unique nulls not distinct (tenant_id, name),
  constraint quiet_hours_have_two_ends check ((quiet_from is null) = (quiet_until is null)),
  constraint escalation_follows_repeats check (
    (escalate_after is null) = (escalate_to is null) and (escalate_after is null or repeat_seconds is not null))
);
create index alert_rule_enabled on headrace.alert_rule (id) where enabled;

-- An incident: open while its condition holds, and for as long after as the rule says. One at a time for each subject.
--   subject           what it is about: a definition, a queue or a trigger
--   count, measure    how many and how much, when last seen
--   notices           how often it was told of, without its end
--   recovery_told_at  null while somebody who was told of it has not been told of its end
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

-- Each try to send one. Without an error it arrived.
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

-- Seconds until somebody should look; null: there is nothing to look for, or no job to send notices with. Looking takes no
-- more than a fiftieth of the time.
create function headrace._alerts_due() returns float8 language sql stable as $$
  select date_part('epoch', looked_at + greatest(interval '5 seconds', 50 * took) - clock_timestamp())
    from headrace.alert_turn
   where exists (select from headrace.alert_rule where enabled)
     and exists (select from headrace.definition
                  where key = 'headrace.deliver_alert' and enabled and deleted_from_code_at is null)
$$;

-- The job that sends a notice is the system's, whosever the notice is: it may tell of anybody's jobs, so the job has nothing but
-- its id. By the owner, for a tenant knows no system jobs; a tenant only for what is its own.
create function headrace._send_notice(notice_id uuid) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  own constant text := current_setting('headrace.tenant_id', true);
  sent uuid;
begin
  if not exists (select from headrace.alert_notice as n
                  where n.id = notice_id and (headrace._current_tenant() is null or n.tenant_id = headrace._current_tenant())) then
    raise exception 'unknown notice "%"', notice_id using errcode = 'HR404';
  elsif not exists (select from headrace.definition where key = 'headrace.deliver_alert') then
    raise exception 'no worker has come yet that sends notices' using errcode = 'HR409',
      hint = 'Start one that runs built-in jobs (builtin.enabled).';
  end if;
  perform set_config('headrace.tenant_id', '', true);
  sent := headrace.enqueue('headrace.deliver_alert', jsonb_build_object('notice_id', notice_id), tenant => '_headrace', source => 'alert');
  perform set_config('headrace.tenant_id', own, true);
  update headrace.alert_notice as n set job_id = sent where n.id = notice_id;
  perform pg_notify('headrace', 'lanes');
  return sent;
end $$;
revoke all on function headrace._send_notice from public;

-- When it was turned off by an error or by failing jobs; null when a person did, or when it is on.
alter table headrace.trigger add column stopped_at timestamptz;
create index trigger_stopped on headrace.trigger (tenant_id) where stopped_at is not null;
create function headrace._trigger_goes_on() returns trigger language plpgsql as $$
begin
  new.stopped_at := null;
  return new;
end $$;
create trigger note_going_on before update of enabled on headrace.trigger for each row
  when (new.enabled and new.stopped_at is not null) execute function headrace._trigger_goes_on();

-- What failed lately, and what was missed, found without reading what went well.
create index attempt_trouble_lately on headrace.attempt (tenant_id, lane_id, finished_at desc)
  where final in ('failed', 'dead_letter');
create index fire_missed on headrace.fire (at) where reason in ('missed', 'over_cap', 'superseded');

do $$
declare
  name text;
begin
  foreach name in array array['alert_target', 'alert_rule', 'alert', 'alert_notice', 'alert_delivery'] loop
    execute format('alter table headrace.%I enable row level security', name);
    execute format('create policy own on headrace.%I using (tenant_id = (select headrace._current_tenant()))', name);
  end loop;
end $$;

create function headrace._grant_alerts_to_tenants() returns void language plpgsql as $$
begin
  grant select, insert, update, delete on headrace.alert_rule, headrace.alert_target to headrace_tenant;
  grant select, update on headrace.alert to headrace_tenant;
  grant select, insert on headrace.alert_notice to headrace_tenant;
  grant select on headrace.alert_delivery to headrace_tenant;
  grant execute on function headrace._send_notice to headrace_tenant;
end $$;
do $$
begin
  if exists (select from pg_roles where rolname = 'headrace_tenant') then
    perform headrace._grant_alerts_to_tenants();
  end if;
exception when insufficient_privilege then
  raise notice 'the role headrace_tenant could not be given its rights';
end $$;
