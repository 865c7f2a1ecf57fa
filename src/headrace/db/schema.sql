-- What a migrated database holds, from its catalogs. Written by `make docs`; nothing applies it.

create type headrace.attempt_outcome as enum ('succeeded', 'failed', 'timed_out', 'retried', 'snoozed', 'released', 'lost', 'canceled');
create type headrace.job_status as enum ('scheduled', 'queued', 'running', 'succeeded', 'failed', 'canceled', 'dead_letter');
create type headrace.worker_state as enum ('live', 'stopped', 'lost');

create sequence headrace.queue_seq;

create table headrace.alert (
  id                uuid not null default gen_random_uuid(),
  rule_id           uuid not null,
  tenant_id         integer,
  subject           text not null,
  since             timestamp with time zone not null,
  last_seen         timestamp with time zone not null,
  count             bigint not null,
  measure           double precision,
  job_id            uuid,
  error             text,
  notices           integer not null default 0,
  told_at           timestamp with time zone,
  escalated_at      timestamp with time zone,
  acknowledged_at   timestamp with time zone,
  acknowledged_by   text,
  closed_at         timestamp with time zone,
  closed_by         text,
  recovery_told_at  timestamp with time zone,
  constraint alert_pkey PRIMARY KEY (id),
  constraint alert_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES headrace.alert_rule(id) ON DELETE CASCADE,
  constraint alert_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES headrace.tenant(id)
) with (fillfactor=70);
alter table headrace.alert enable row level security;
create policy bound on headrace.alert as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.alert to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.alert using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX alert_age ON headrace.alert USING btree (since DESC, id DESC);
CREATE INDEX alert_closed ON headrace.alert USING btree (rule_id, subject, closed_at DESC);
CREATE UNIQUE INDEX alert_open ON headrace.alert USING btree (rule_id, subject) WHERE (closed_at IS NULL);
CREATE INDEX alert_tenant ON headrace.alert USING btree (tenant_id, since DESC, id DESC);
CREATE INDEX alert_untold ON headrace.alert USING btree (rule_id) WHERE ((closed_at IS NOT NULL) AND (told_at IS NOT NULL) AND (recovery_told_at IS NULL));
grant delete, insert, select, update on headrace.alert to headrace_server;
grant select, update on headrace.alert to headrace_tenant;
grant delete, insert, select, update on headrace.alert to headrace_worker;

create table headrace.alert_delivery (
  id           bigint not null generated always as identity,
  notice_id    uuid not null,
  tenant_id    integer,
  target       text not null,
  at           timestamp with time zone not null,
  seconds      double precision not null,
  status_code  integer,
  error        text,
  constraint alert_delivery_pkey PRIMARY KEY (id),
  constraint alert_delivery_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES headrace.alert_notice(id) ON DELETE CASCADE,
  constraint alert_delivery_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES headrace.tenant(id)
);
alter table headrace.alert_delivery enable row level security;
create policy bound on headrace.alert_delivery as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.alert_delivery to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.alert_delivery using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX alert_delivery_notice ON headrace.alert_delivery USING btree (notice_id);
CREATE INDEX alert_delivery_tenant ON headrace.alert_delivery USING btree (tenant_id, id DESC);
grant delete, insert, select, update on headrace.alert_delivery to headrace_server;
grant select on headrace.alert_delivery to headrace_tenant;
grant delete, insert, select, update on headrace.alert_delivery to headrace_worker;

create table headrace.alert_notice (
  id          uuid not null default gen_random_uuid(),
  tenant_id   integer,
  rule_id     uuid,
  target_id   uuid not null,
  event       text not null,
  body        jsonb not null,
  job_id      uuid,
  created_at  timestamp with time zone not null default clock_timestamp(),
  sent_at     timestamp with time zone,
  constraint alert_notice_pkey PRIMARY KEY (id),
  constraint alert_notice_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES headrace.tenant(id),
  constraint alert_notice_event_check CHECK ((event = ANY (ARRAY['firing'::text, 'repeated'::text, 'escalated'::text, 'recovered'::text, 'test'::text])))
);
alter table headrace.alert_notice enable row level security;
create policy bound on headrace.alert_notice as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.alert_notice to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.alert_notice using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX alert_notice_age ON headrace.alert_notice USING btree (created_at);
grant delete, insert, select, update on headrace.alert_notice to headrace_server;
grant insert, select on headrace.alert_notice to headrace_tenant;
grant delete, insert, select, update on headrace.alert_notice to headrace_worker;

create table headrace.alert_rule (
  id                     uuid not null default gen_random_uuid(),
  tenant_id              integer,
  name                   text not null,
  kind                   text not null,
  parameters             jsonb not null default '{}'::jsonb,
  targets                uuid[] not null default '{}'::uuid[],
  enabled                boolean not null default true,
  enabled_at             timestamp with time zone not null default clock_timestamp(),
  recover_after_seconds  double precision,
  group_seconds          double precision not null default 30,
  repeat_seconds         double precision,
  escalate_after         integer,
  escalate_to            uuid,
  quiet_from             text,
  quiet_until            text,
  timezone               text not null default 'UTC'::text,
  told_at                timestamp with time zone,
  created_at             timestamp with time zone not null default now(),
  created_by             text not null,
  constraint alert_rule_pkey PRIMARY KEY (id),
  constraint alert_rule_tenant_id_name_key UNIQUE NULLS NOT DISTINCT (tenant_id, name),
  constraint alert_rule_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES headrace.tenant(id),
  constraint alert_rule_escalate_after_check CHECK (((escalate_after >= 1) AND (escalate_after <= 1000))),
  constraint alert_rule_group_seconds_check CHECK (((group_seconds >= (0)::double precision) AND (group_seconds <= (86400)::double precision))),
  constraint alert_rule_kind_check CHECK ((kind = ANY (ARRAY['job_died'::text, 'failures_in_a_row'::text, 'failure_rate'::text, 'oldest_queued'::text, 'no_worker'::text, 'missed_fire'::text, 'trigger_disabled'::text, 'running_long'::text]))),
  constraint alert_rule_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint alert_rule_parameters_check CHECK ((jsonb_typeof(parameters) = 'object'::text)),
  constraint alert_rule_quiet_from_check CHECK ((quiet_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text)),
  constraint alert_rule_quiet_until_check CHECK ((quiet_until ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text)),
  constraint alert_rule_recover_after_seconds_check CHECK (((recover_after_seconds >= (0)::double precision) AND (recover_after_seconds <= (86400)::double precision))),
  constraint alert_rule_repeat_seconds_check CHECK (((repeat_seconds >= (1)::double precision) AND (repeat_seconds <= (2592000)::double precision))),
  constraint alert_rule_targets_check CHECK ((cardinality(targets) <= 10)),
  constraint alert_rule_timezone_check CHECK ((length(timezone) <= 100)),
  constraint escalation_follows_repeats CHECK (((escalate_after IS NULL) OR (repeat_seconds IS NOT NULL))),
  constraint escalation_has_both CHECK (((escalate_after IS NULL) = (escalate_to IS NULL))),
  constraint escalation_is_to_another CHECK ((NOT (escalate_to = ANY (targets)))),
  constraint quiet_hours_have_a_length CHECK ((quiet_from <> quiet_until)),
  constraint quiet_hours_have_two_ends CHECK (((quiet_from IS NULL) = (quiet_until IS NULL)))
);
alter table headrace.alert_rule enable row level security;
create policy bound on headrace.alert_rule as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.alert_rule to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.alert_rule using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX alert_rule_enabled ON headrace.alert_rule USING btree (id) WHERE enabled;
grant delete, insert, select, update on headrace.alert_rule to headrace_server;
grant delete, insert, select, update on headrace.alert_rule to headrace_tenant;
grant select, update on headrace.alert_rule to headrace_worker;

create table headrace.alert_target (
  id          uuid not null default gen_random_uuid(),
  tenant_id   integer,
  name        text not null,
  kind        text not null,
  address     text not null,
  secret      jsonb,
  created_at  timestamp with time zone not null default now(),
  created_by  text not null,
  constraint alert_target_pkey PRIMARY KEY (id),
  constraint alert_target_tenant_id_name_key UNIQUE NULLS NOT DISTINCT (tenant_id, name),
  constraint alert_target_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES headrace.tenant(id),
  constraint alert_target_address_check CHECK (((length(address) >= 1) AND (length(address) <= 2000))),
  constraint alert_target_kind_check CHECK ((kind = ANY (ARRAY['webhook'::text, 'email'::text, 'command'::text]))),
  constraint alert_target_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint only_webhooks_are_signed CHECK (((kind = 'webhook'::text) OR (secret IS NULL)))
);
alter table headrace.alert_target enable row level security;
create policy bound on headrace.alert_target as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.alert_target to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.alert_target using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
grant delete, insert, select, update on headrace.alert_target to headrace_server;
grant delete, insert, select, update on headrace.alert_target to headrace_tenant;
grant select on headrace.alert_target to headrace_worker;

create table headrace.alert_turn (
  id         boolean not null default true,
  looked_at  timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  took       interval not null default '00:00:00'::interval,
  constraint alert_turn_pkey PRIMARY KEY (id),
  constraint alert_turn_id_check CHECK (id)
) with (fillfactor=50);
grant select, update on headrace.alert_turn to headrace_server;
grant select, update on headrace.alert_turn to headrace_worker;

create table headrace.attempt (
  job_id       uuid not null,
  run          integer not null,
  tenant_id    integer not null,
  lane_id      integer not null,
  worker_id    bigint,
  outcome      headrace.attempt_outcome not null,
  final        headrace.job_status,
  spent        smallint not null,
  queued_at    timestamp with time zone,
  started_at   timestamp with time zone,
  finished_at  timestamp with time zone not null,
  error        text,
  traceback    text,
  result       jsonb,
  detail       jsonb,
  replaced_by  uuid,
  constraint attempt_pkey PRIMARY KEY (job_id, run),
  constraint a_final_status CHECK ((final = ANY (ARRAY['succeeded'::headrace.job_status, 'failed'::headrace.job_status, 'canceled'::headrace.job_status, 'dead_letter'::headrace.job_status]))),
  constraint replaced_means_canceled CHECK (((replaced_by IS NULL) OR (NOT (final IS DISTINCT FROM 'canceled'::headrace.job_status)))),
  constraint started_means_a_worker CHECK (((started_at IS NULL) = (worker_id IS NULL))),
  constraint success_is_final CHECK (((final IS NULL) OR ((final = 'succeeded'::headrace.job_status) = (outcome = 'succeeded'::headrace.attempt_outcome))))
) partition by RANGE (job_id);
alter table headrace.attempt enable row level security;
create policy bound on headrace.attempt as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.attempt to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.attempt using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX attempt_canceled ON ONLY headrace.attempt USING btree (tenant_id, job_id DESC) WHERE (final = 'canceled'::headrace.job_status);
CREATE INDEX attempt_dead ON ONLY headrace.attempt USING btree (tenant_id, job_id DESC) WHERE (final = 'dead_letter'::headrace.job_status);
CREATE INDEX attempt_error ON ONLY headrace.attempt USING btree (tenant_id, finished_at DESC) WHERE (error IS NOT NULL);
CREATE INDEX attempt_error_of_all ON ONLY headrace.attempt USING btree (finished_at DESC) WHERE (error IS NOT NULL);
CREATE INDEX attempt_failed ON ONLY headrace.attempt USING btree (tenant_id, job_id DESC) WHERE (final = 'failed'::headrace.job_status);
CREATE INDEX attempt_finished ON ONLY headrace.attempt USING brin (finished_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX attempt_succeeded ON ONLY headrace.attempt USING btree (tenant_id, job_id DESC) WHERE (final = 'succeeded'::headrace.job_status);
CREATE INDEX attempt_trouble ON ONLY headrace.attempt USING btree (final, job_id DESC) WHERE (final <> 'succeeded'::headrace.job_status);
CREATE INDEX attempt_trouble_lately ON ONLY headrace.attempt USING btree (tenant_id, lane_id, finished_at DESC) WHERE (final = ANY (ARRAY['failed'::headrace.job_status, 'dead_letter'::headrace.job_status]));
CREATE TRIGGER refuse_leaving BEFORE UPDATE OF final ON headrace.attempt FOR EACH ROW WHEN (((old.final IS NOT NULL) AND (new.final IS NULL))) EXECUTE FUNCTION headrace._refuse_leaving();
grant insert, select, update on headrace.attempt to headrace_app;
grant select on headrace.attempt to headrace_integrator;
grant delete, insert, select, update on headrace.attempt to headrace_server;
grant insert, select, update on headrace.attempt to headrace_tenant;
grant delete, insert, select, update on headrace.attempt to headrace_worker;

create table headrace.audit (
  id         bigint not null generated always as identity,
  at         timestamp with time zone not null default now(),
  who        text not null,
  role       text not null,
  action     text not null,
  tenant_id  integer,
  target     text,
  detail     jsonb not null default '{}'::jsonb,
  constraint audit_pkey PRIMARY KEY (id)
);
alter table headrace.audit enable row level security;
create policy bound on headrace.audit as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.audit to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.audit using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX audit_at ON headrace.audit USING btree (at);
CREATE INDEX audit_target ON headrace.audit USING btree (target, id DESC);
CREATE INDEX audit_tenant ON headrace.audit USING btree (tenant_id, id DESC);
grant insert, select on headrace.audit to headrace_server;
grant insert, select on headrace.audit to headrace_tenant;
grant insert on headrace.audit to headrace_worker;

create table headrace.cursor_key (
  only_row  boolean not null default true,
  key       bytea not null default sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))),
  constraint cursor_key_pkey PRIMARY KEY (only_row),
  constraint cursor_key_key_check CHECK ((length(key) = 32)),
  constraint cursor_key_only_row_check CHECK (only_row)
);
grant select on headrace.cursor_key to headrace_server;

create table headrace.dedupe (
  trigger_id    uuid not null,
  payload_hash  bytea not null,
  until         timestamp with time zone not null,
  job_id        uuid not null,
  constraint dedupe_pkey PRIMARY KEY (trigger_id, payload_hash)
);
alter table headrace.dedupe enable row level security;
create policy every_tenant on headrace.dedupe to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.dedupe using ((EXISTS ( SELECT
   FROM headrace.trigger
  WHERE (trigger.id = dedupe.trigger_id))) OR (EXISTS ( SELECT
   FROM headrace.deleted_trigger
  WHERE (deleted_trigger.id = dedupe.trigger_id))));
CREATE INDEX dedupe_until ON headrace.dedupe USING btree (until);
grant delete, insert, select, update on headrace.dedupe to headrace_server;
grant insert, select, update on headrace.dedupe to headrace_tenant;
grant delete, insert, select, update on headrace.dedupe to headrace_worker;

create table headrace.default_schedule (
  name         text not null,
  inserted_at  timestamp with time zone not null default now(),
  constraint default_schedule_pkey PRIMARY KEY (name)
);
grant insert, select on headrace.default_schedule to headrace_server;
grant insert, select on headrace.default_schedule to headrace_worker;

create table headrace.definition (
  id                       integer not null generated always as identity,
  key                      text not null,
  kind                     text not null,
  app                      text not null,
  description              text not null default ''::text,
  tags                     text[] not null default '{}'::text[],
  payload_schema           jsonb not null default '{}'::jsonb,
  triggers                 jsonb not null default '[]'::jsonb,
  hash                     text not null,
  declared                 jsonb not null default '{}'::jsonb,
  deleted_from_code_at     timestamp with time zone,
  synced_at                timestamp with time zone not null default now(),
  enabled                  boolean not null default true,
  queue                    text not null default 'default'::text,
  priority                 smallint not null default 100,
  max_attempts             smallint not null default 4,
  timeout_seconds          double precision,
  retry_base_seconds       double precision not null default 5,
  retry_cap_seconds        double precision not null default 300,
  retry_jitter_seconds     double precision not null default 1,
  function_schema          text,
  function_name            text,
  function_signature       text,
  secret_fields            text[] generated always as (headrace._secret_fields(payload_schema)) stored,
  max_concurrency          integer,
  concurrency_key          text,
  max_concurrency_per_key  integer,
  rate_limit               integer,
  rate_period_seconds      double precision not null default 1,
  rate_burst               integer,
  rate_per_key             boolean not null default false,
  tenants                  text[],
  limited                  boolean generated always as ((num_nonnulls(max_concurrency, max_concurrency_per_key, rate_limit, tenants) > 0)) stored,
  system                   boolean not null default false,
  retention_days           double precision,
  retention_count          integer,
  schema_version           text,
  constraint definition_pkey PRIMARY KEY (id),
  constraint definition_key_key UNIQUE (key),
  constraint built_in_jobs_have_no_tenants CHECK (((NOT system) OR (tenants IS NULL))),
  constraint burst_needs_a_rate CHECK (((rate_limit IS NOT NULL) OR (rate_burst IS NULL))),
  constraint definition_concurrency_key_check CHECK (((length(concurrency_key) <= 500) AND (concurrency_key ~ '^\[? *[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*( *, *[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*)* *\]?$'::text))),
  constraint definition_description_check CHECK ((length(description) <= 100000)),
  constraint definition_function_signature_check CHECK ((function_signature = ANY (ARRAY['()'::text, '(jsonb)'::text]))),
  constraint definition_key_check CHECK ((key ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$'::text)),
  constraint definition_kind_check CHECK ((kind = ANY (ARRAY['python'::text, 'command'::text, 'sql'::text]))),
  constraint definition_max_attempts_check CHECK (((max_attempts >= 1) AND (max_attempts <= 1000))),
  constraint definition_max_concurrency_check CHECK (((max_concurrency >= 1) AND (max_concurrency <= 1000000))),
  constraint definition_max_concurrency_per_key_check CHECK (((max_concurrency_per_key >= 1) AND (max_concurrency_per_key <= 1000000))),
  constraint definition_priority_check CHECK (((priority >= 0) AND (priority <= 1000))),
  constraint definition_queue_check CHECK ((queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'::text)),
  constraint definition_rate_burst_check CHECK (((rate_burst >= 1) AND (rate_burst <= 1000000))),
  constraint definition_rate_limit_check CHECK (((rate_limit >= 1) AND (rate_limit <= 1000000))),
  constraint definition_rate_period_seconds_check CHECK (((rate_period_seconds >= (0.001)::double precision) AND (rate_period_seconds <= (31536000)::double precision))),
  constraint definition_retention_count_check CHECK (((retention_count >= 1) AND (retention_count <= 1000000))),
  constraint definition_retention_days_check CHECK (((retention_days >= (0)::double precision) AND (retention_days <= (3650)::double precision))),
  constraint definition_retry_base_seconds_check CHECK (((retry_base_seconds >= (0)::double precision) AND (retry_base_seconds <= (31536000)::double precision))),
  constraint definition_retry_cap_seconds_check CHECK (((retry_cap_seconds >= (0)::double precision) AND (retry_cap_seconds <= (31536000)::double precision))),
  constraint definition_retry_jitter_seconds_check CHECK (((retry_jitter_seconds >= (0)::double precision) AND (retry_jitter_seconds <= (31536000)::double precision))),
  constraint definition_tags_check CHECK ((cardinality(tags) <= 100)),
  constraint definition_tenants_check CHECK ((((cardinality(tenants) >= 1) AND (cardinality(tenants) <= 1000)) AND (array_to_string(tenants, ','::text, ''::text) ~ '^(_headrace|[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99})(,(_headrace|[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99}))*$'::text))),
  constraint definition_timeout_seconds_check CHECK (((timeout_seconds > (0)::double precision) AND (timeout_seconds <= (31536000)::double precision))),
  constraint function_exactly_for_sql CHECK ((num_nonnulls(function_schema, function_name, function_signature) =
CASE kind
    WHEN 'sql'::text THEN 3
    ELSE 0
END)),
  constraint not_the_system_queue CHECK (((queue <> 'headrace'::text) OR system)),
  constraint per_key_needs_a_key CHECK (((concurrency_key IS NOT NULL) OR ((max_concurrency_per_key IS NULL) AND (NOT rate_per_key))))
);
CREATE TRIGGER limits_changed AFTER UPDATE OF max_concurrency, concurrency_key, max_concurrency_per_key, rate_limit, rate_period_seconds, rate_burst, rate_per_key, tenants ON headrace.definition FOR EACH ROW WHEN (((((((((new.max_concurrency IS DISTINCT FROM old.max_concurrency) OR (new.concurrency_key IS DISTINCT FROM old.concurrency_key)) OR (new.max_concurrency_per_key IS DISTINCT FROM old.max_concurrency_per_key)) OR (new.rate_limit IS DISTINCT FROM old.rate_limit)) OR (new.rate_period_seconds IS DISTINCT FROM old.rate_period_seconds)) OR (new.rate_burst IS DISTINCT FROM old.rate_burst)) OR (new.rate_per_key IS DISTINCT FROM old.rate_per_key)) OR (new.tenants IS DISTINCT FROM old.tenants))) EXECUTE FUNCTION headrace._limits_changed();
CREATE TRIGGER tell_workers AFTER UPDATE OF enabled, timeout_seconds, retry_base_seconds, retry_cap_seconds, retry_jitter_seconds ON headrace.definition FOR EACH STATEMENT EXECUTE FUNCTION headrace._tell_lanes_changed();
grant select on headrace.definition to headrace_app;
grant select (id, key, kind, deleted_from_code_at, enabled) on headrace.definition to headrace_integrator;
grant select (id, key) on headrace.definition to headrace_metrics;
grant insert, select, update on headrace.definition to headrace_server;
grant select on headrace.definition to headrace_tenant;
grant insert, select, update on headrace.definition to headrace_worker;

create table headrace.definition_pause (
  definition_id  integer not null,
  note           text not null default ''::text,
  paused_at      timestamp with time zone not null default now(),
  paused_by      text not null,
  resume_at      timestamp with time zone,
  constraint definition_pause_pkey PRIMARY KEY (definition_id),
  constraint definition_pause_definition_id_fkey FOREIGN KEY (definition_id) REFERENCES headrace.definition(id) ON DELETE CASCADE
);
CREATE TRIGGER tell_workers AFTER INSERT OR DELETE OR UPDATE ON headrace.definition_pause FOR EACH STATEMENT EXECUTE FUNCTION headrace._tell_lanes_changed();
grant delete, insert, select, update on headrace.definition_pause to headrace_server;
grant select on headrace.definition_pause to headrace_tenant;
grant select on headrace.definition_pause to headrace_worker;

create table headrace.deleted_trigger (
  id             uuid not null,
  tenant_id      integer not null,
  name           text not null,
  definition_id  integer not null,
  deleted_at     timestamp with time zone not null default now(),
  constraint deleted_trigger_pkey PRIMARY KEY (id)
);
alter table headrace.deleted_trigger enable row level security;
create policy bound on headrace.deleted_trigger as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.deleted_trigger to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.deleted_trigger using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
grant select on headrace.deleted_trigger to headrace_app;
grant select on headrace.deleted_trigger to headrace_integrator;
grant insert, select on headrace.deleted_trigger to headrace_server;
grant insert, select on headrace.deleted_trigger to headrace_tenant;
grant insert, select on headrace.deleted_trigger to headrace_worker;

create table headrace.delivery (
  event_id    uuid not null,
  trigger_id  uuid not null,
  outcome     text not null,
  reason      text,
  detail      text,
  job_id      uuid,
  constraint delivery_pkey PRIMARY KEY (event_id, trigger_id),
  constraint delivery_outcome_check CHECK ((outcome = ANY (ARRAY['fired'::text, 'skipped'::text]))),
  constraint fired_means_a_job CHECK (((outcome <> 'fired'::text) OR ((job_id IS NOT NULL) AND (reason IS NULL)))),
  constraint skipped_means_a_reason CHECK (((outcome <> 'skipped'::text) OR (reason IS NOT NULL)))
);
alter table headrace.delivery enable row level security;
create policy every_tenant on headrace.delivery to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.delivery using ((EXISTS ( SELECT
   FROM headrace.trigger
  WHERE (trigger.id = delivery.trigger_id))) OR (EXISTS ( SELECT
   FROM headrace.deleted_trigger
  WHERE (deleted_trigger.id = delivery.trigger_id))));
CREATE INDEX delivery_trigger ON headrace.delivery USING btree (trigger_id, event_id DESC);
grant select on headrace.delivery to headrace_app;
grant select on headrace.delivery to headrace_integrator;
grant delete, insert, select, update on headrace.delivery to headrace_server;
grant insert, select, update on headrace.delivery to headrace_tenant;
grant delete, insert, select, update on headrace.delivery to headrace_worker;

create table headrace.event (
  id              uuid not null,
  tenant_id       integer not null,
  name            text not null,
  data            jsonb not null,
  correlation_id  text,
  emitted_at      timestamp with time zone not null default clock_timestamp(),
  error           text,
  trace_context   text default headrace._trace_context(),
  constraint event_pkey PRIMARY KEY (id)
);
alter table headrace.event enable row level security;
create policy bound on headrace.event as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.event to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.event using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX event_tenant ON headrace.event USING btree (tenant_id, id DESC);
grant insert on headrace.event to headrace_app;
grant delete, insert, select, update on headrace.event to headrace_server;
grant insert, select on headrace.event to headrace_tenant;
grant delete, insert, select, update on headrace.event to headrace_worker;

create table headrace.event_fires (
  trigger_id  uuid not null,
  slot        smallint not null,
  fires       bigint not null,
  constraint event_fires_pkey PRIMARY KEY (trigger_id, slot),
  constraint event_fires_trigger_id_fkey FOREIGN KEY (trigger_id) REFERENCES headrace.trigger(id) ON DELETE CASCADE
) with (fillfactor=50);
alter table headrace.event_fires enable row level security;
create policy every_tenant on headrace.event_fires to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.event_fires using (EXISTS ( SELECT
   FROM headrace.trigger
  WHERE (trigger.id = event_fires.trigger_id)));
grant delete, insert, select, update on headrace.event_fires to headrace_server;
grant select on headrace.event_fires to headrace_tenant;
grant delete, insert, select, update on headrace.event_fires to headrace_worker;

create table headrace.event_inbox (
  seq          bigint not null generated always as identity,
  event_id     uuid not null,
  attempts     integer not null default 0,
  not_before   timestamp with time zone,
  tenant_id    integer not null,
  batch_limit  integer,
  begun        boolean not null default false,
  constraint event_inbox_pkey PRIMARY KEY (seq),
  constraint event_inbox_batch_limit_check CHECK ((batch_limit > 0))
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_scale_factor=0.2, autovacuum_vacuum_cost_delay=0, fillfactor=50);
alter table headrace.event_inbox enable row level security;
create policy bound on headrace.event_inbox as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.event_inbox to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.event_inbox using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX event_inbox_turn ON headrace.event_inbox USING btree (tenant_id, seq);
grant insert on headrace.event_inbox to headrace_app;
grant delete, insert, select, update on headrace.event_inbox to headrace_server;
grant insert on headrace.event_inbox to headrace_tenant;
grant delete, insert, select, update on headrace.event_inbox to headrace_worker;

create table headrace.event_key (
  tenant_id     integer not null,
  key           text not null,
  event_id      uuid,
  request_hash  bytea not null,
  constraint event_key_pkey PRIMARY KEY (tenant_id, key),
  constraint event_key_event_id_key UNIQUE (event_id),
  constraint event_key_key_check CHECK (((length(key) >= 1) AND (length(key) <= 500)))
);
alter table headrace.event_key enable row level security;
create policy bound on headrace.event_key as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.event_key to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.event_key using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
grant insert, select, update on headrace.event_key to headrace_app;
grant delete, insert, select, update on headrace.event_key to headrace_server;
grant insert, select, update on headrace.event_key to headrace_tenant;
grant delete, insert, select, update on headrace.event_key to headrace_worker;

create table headrace.event_watch (
  the_only  boolean not null default true,
  armed     boolean not null default true,
  constraint event_watch_pkey PRIMARY KEY (the_only),
  constraint event_watch_the_only_check CHECK (the_only)
) with (fillfactor=10);
grant select on headrace.event_watch to headrace_app;
grant select, update on headrace.event_watch to headrace_server;
grant select on headrace.event_watch to headrace_tenant;
grant select, update on headrace.event_watch to headrace_worker;

create table headrace.fire (
  trigger_id    uuid not null,
  due_at        timestamp with time zone not null,
  occasion      text not null default ''::text,
  outcome       text not null,
  reason        text,
  detail        text,
  until         timestamp with time zone,
  n             integer,
  job_id        uuid,
  triggered_by  text not null,
  at            timestamp with time zone not null default clock_timestamp(),
  constraint fire_pkey PRIMARY KEY (trigger_id, due_at, occasion),
  constraint a_stretch_ends_after_it_starts CHECK ((until >= due_at)),
  constraint fire_outcome_check CHECK ((outcome = ANY (ARRAY['fired'::text, 'skipped'::text]))),
  constraint fired_means_a_job CHECK (((outcome <> 'fired'::text) OR ((job_id IS NOT NULL) AND (until IS NULL) AND (reason IS NULL)))),
  constraint skipped_means_a_reason CHECK (((outcome <> 'skipped'::text) OR (reason IS NOT NULL)))
);
alter table headrace.fire enable row level security;
create policy every_tenant on headrace.fire to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.fire using ((EXISTS ( SELECT
   FROM headrace.trigger
  WHERE (trigger.id = fire.trigger_id))) OR (EXISTS ( SELECT
   FROM headrace.deleted_trigger
  WHERE (deleted_trigger.id = fire.trigger_id))));
CREATE INDEX fire_age ON headrace.fire USING btree (at);
CREATE INDEX fire_missed ON headrace.fire USING btree (at) WHERE (reason = ANY (ARRAY['missed'::text, 'over_cap'::text, 'superseded'::text, 'deleted_from_code'::text]));
grant select on headrace.fire to headrace_app;
grant select on headrace.fire to headrace_integrator;
grant delete, insert, select, update on headrace.fire to headrace_server;
grant insert, select, update on headrace.fire to headrace_tenant;
grant delete, insert, select, update on headrace.fire to headrace_worker;

create table headrace.fired_once (
  trigger_id  uuid not null,
  version     text not null,
  job_id      uuid not null,
  constraint fired_once_pkey PRIMARY KEY (trigger_id, version)
);
alter table headrace.fired_once enable row level security;
create policy every_tenant on headrace.fired_once to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.fired_once using ((EXISTS ( SELECT
   FROM headrace.trigger
  WHERE (trigger.id = fired_once.trigger_id))) OR (EXISTS ( SELECT
   FROM headrace.deleted_trigger
  WHERE (deleted_trigger.id = fired_once.trigger_id))));
grant insert, select on headrace.fired_once to headrace_server;
grant insert, select, update on headrace.fired_once to headrace_tenant;
grant insert, select on headrace.fired_once to headrace_worker;

create table headrace.function_file (
  name        text not null,
  checksum    text not null,
  applied_at  timestamp with time zone not null default now(),
  constraint function_file_pkey PRIMARY KEY (name)
);
grant select on headrace.function_file to headrace_app;
grant select on headrace.function_file to headrace_server;
grant select on headrace.function_file to headrace_worker;

create table headrace.gate_turn (
  id  boolean not null,
  constraint gate_turn_pkey PRIMARY KEY (id)
);
grant update on headrace.gate_turn to headrace_server;
grant update on headrace.gate_turn to headrace_worker;

create table headrace.idempotency (
  tenant_id     integer not null,
  key           text not null,
  job_id        uuid not null,
  request_hash  bytea not null,
  constraint idempotency_pkey PRIMARY KEY (tenant_id, key),
  constraint idempotency_key_check CHECK (((length(key) >= 1) AND (length(key) <= 500)))
);
alter table headrace.idempotency enable row level security;
create policy bound on headrace.idempotency as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.idempotency to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.idempotency using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX idempotency_job ON headrace.idempotency USING btree (job_id);
grant insert, select, update on headrace.idempotency to headrace_app;
grant delete, insert, select, update on headrace.idempotency to headrace_server;
grant insert, select, update on headrace.idempotency to headrace_tenant;
grant delete, insert, select, update on headrace.idempotency to headrace_worker;

create table headrace.integrator (
  login      name not null,
  tenant_id  integer not null,
  bound_at   timestamp with time zone not null default now(),
  bound_by   text not null default SESSION_USER,
  constraint integrator_pkey PRIMARY KEY (login),
  constraint integrator_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES headrace.tenant(id) ON DELETE CASCADE
);

create table headrace.job (
  id               uuid not null,
  tenant_id        integer not null,
  definition_id    integer not null,
  lane_id          integer not null,
  priority         smallint not null,
  max_attempts     smallint not null,
  payload          jsonb not null,
  source           text not null,
  source_ref       uuid,
  correlation_id   text,
  dedupe_key       text,
  dedupe_waiting   boolean not null default false,
  idempotency_key  text,
  scheduled_for    timestamp with time zone,
  created_at       timestamp with time zone not null,
  created_by       text,
  trace_context    text default headrace._trace_context(),
  trigger_id       uuid,
  constraint job_pkey PRIMARY KEY (id),
  constraint due_between_1900_and_9000 CHECK (((scheduled_for >= '1900-01-01 00:00:00+00'::timestamp with time zone) AND (scheduled_for <= '9000-01-01 00:00:00+00'::timestamp with time zone)))
) partition by RANGE (id);
alter table headrace.job enable row level security;
create policy bound on headrace.job as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.job to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.job using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX job_correlation ON ONLY headrace.job USING btree (correlation_id, id DESC) WHERE (correlation_id IS NOT NULL);
CREATE INDEX job_definition ON ONLY headrace.job USING btree (definition_id, id DESC);
CREATE INDEX job_source ON ONLY headrace.job USING btree (source_ref, id DESC) WHERE (source_ref IS NOT NULL);
CREATE INDEX job_tenant ON ONLY headrace.job USING btree (tenant_id, id DESC);
CREATE INDEX job_trigger ON ONLY headrace.job USING btree (trigger_id, id DESC) WHERE (trigger_id IS NOT NULL);
grant insert, select on headrace.job to headrace_app;
grant select on headrace.job to headrace_integrator;
grant delete, insert, select on headrace.job to headrace_server;
grant insert, select on headrace.job to headrace_tenant;
grant delete, insert, select on headrace.job to headrace_worker;

create table headrace.lane (
  id             integer not null generated always as identity,
  queue          text not null,
  definition_id  integer not null,
  paused         boolean not null default false,
  unused_since   timestamp with time zone,
  constraint lane_pkey PRIMARY KEY (id),
  constraint lane_queue_definition_id_key UNIQUE (queue, definition_id),
  constraint lane_definition_id_fkey FOREIGN KEY (definition_id) REFERENCES headrace.definition(id),
  constraint lane_queue_check CHECK ((queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'::text))
);
CREATE TRIGGER tell_workers AFTER INSERT OR DELETE OR UPDATE OF paused ON headrace.lane FOR EACH STATEMENT EXECUTE FUNCTION headrace._tell_lanes_changed();
grant insert, select on headrace.lane to headrace_app;
grant select on headrace.lane to headrace_integrator;
grant delete, insert, select, update on headrace.lane to headrace_server;
grant insert, select on headrace.lane to headrace_tenant;
grant delete, insert, select, update on headrace.lane to headrace_worker;

create table headrace.log (
  tenant_id      integer not null,
  definition_id  integer not null,
  job_id         uuid not null,
  run            integer not null,
  seq            integer not null,
  at             timestamp with time zone not null,
  level          smallint not null,
  stream         smallint not null,
  message        text not null,
  fields         jsonb,
  constraint log_pkey PRIMARY KEY (job_id, run, seq, at),
  constraint log_level_check CHECK (((level >= 0) AND (level <= 100)))
) partition by RANGE (at);
alter table headrace.log enable row level security;
create policy bound on headrace.log as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.log to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.log using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX log_at ON ONLY headrace.log USING btree (at);
CREATE INDEX log_search ON ONLY headrace.log USING gin (headrace._log_tags(tenant_id, definition_id, level, at), headrace._log_words(message));
grant delete, insert, select on headrace.log to headrace_server;
grant select on headrace.log to headrace_tenant;
grant delete, insert, select on headrace.log to headrace_worker;

create table headrace.log_partition (
  lower_bound  timestamp with time zone not null,
  upper_bound  timestamp with time zone not null,
  suffix       text not null,
  leaving      boolean not null default false,
  constraint log_partition_pkey PRIMARY KEY (lower_bound),
  constraint log_partition_suffix_key UNIQUE (suffix),
  constraint log_partition_upper_bound_key UNIQUE (upper_bound),
  constraint log_partition_check CHECK ((lower_bound < upper_bound))
);
grant select, update (leaving) on headrace.log_partition to headrace_server;
grant select on headrace.log_partition to headrace_tenant;
grant select, update (leaving) on headrace.log_partition to headrace_worker;

create table headrace.migration (
  number      integer not null,
  name        text not null,
  checksum    text not null,
  applied_at  timestamp with time zone not null default now(),
  constraint migration_pkey PRIMARY KEY (number)
);
grant select on headrace.migration to headrace_app;
grant select on headrace.migration to headrace_server;
grant select on headrace.migration to headrace_worker;

create table headrace.misfit (
  worker_id      bigint not null,
  definition_id  integer not null,
  at             timestamp with time zone not null default now(),
  constraint misfit_pkey PRIMARY KEY (worker_id, definition_id),
  constraint misfit_definition_id_fkey FOREIGN KEY (definition_id) REFERENCES headrace.definition(id) ON DELETE CASCADE,
  constraint misfit_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES headrace.worker(id) ON DELETE CASCADE
);
CREATE INDEX misfit_definition ON headrace.misfit USING btree (definition_id);
grant delete, insert, select, update on headrace.misfit to headrace_server;
grant delete, insert, select, update on headrace.misfit to headrace_worker;

create table headrace.operation (
  id           uuid not null default gen_random_uuid(),
  tenant_id    integer,
  action       text not null,
  filter       jsonb not null,
  state        text not null default 'running'::text,
  expected     integer not null,
  done         integer not null default 0,
  left_alone   integer not null default 0,
  position     uuid,
  error        text,
  created_at   timestamp with time zone not null default now(),
  created_by   text not null,
  updated_at   timestamp with time zone not null default now(),
  finished_at  timestamp with time zone,
  per_second   integer,
  constraint operation_pkey PRIMARY KEY (id),
  constraint operation_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES headrace.tenant(id),
  constraint a_pace CHECK (((per_second >= 1) AND (per_second <= 1000))),
  constraint ended_means_finished CHECK (((state = 'running'::text) = (finished_at IS NULL))),
  constraint operation_action_check CHECK ((action = ANY (ARRAY['cancel'::text, 'retry'::text, 'delete'::text]))),
  constraint operation_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'canceled'::text, 'failed'::text])))
);
alter table headrace.operation enable row level security;
create policy bound on headrace.operation as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.operation to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.operation using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX operation_running ON headrace.operation USING btree (created_at) WHERE (state = 'running'::text);
CREATE INDEX operation_tenant ON headrace.operation USING btree (tenant_id, created_at DESC);
grant insert, select, update on headrace.operation to headrace_server;
grant insert, select, update on headrace.operation to headrace_tenant;

create table headrace.partition (
  lower_bound  timestamp with time zone not null,
  upper_bound  timestamp with time zone not null,
  suffix       text not null,
  leaving      boolean not null default false,
  constraint partition_pkey PRIMARY KEY (lower_bound),
  constraint partition_suffix_key UNIQUE (suffix),
  constraint partition_upper_bound_key UNIQUE (upper_bound),
  constraint partition_check CHECK ((lower_bound < upper_bound))
);
grant select on headrace.partition to headrace_app;
grant select, update (leaving) on headrace.partition to headrace_server;
grant select on headrace.partition to headrace_tenant;
grant select, update (leaving) on headrace.partition to headrace_worker;

create table headrace.progress (
  job_id      uuid not null,
  fraction    real,
  message     text,
  updated_at  timestamp with time zone not null default now(),
  constraint progress_pkey PRIMARY KEY (job_id),
  constraint progress_fraction_check CHECK (((fraction >= (0)::double precision) AND (fraction <= (1)::double precision)))
);
alter table headrace.progress enable row level security;
create policy every_tenant on headrace.progress to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.progress using (EXISTS ( SELECT
   FROM headrace.job
  WHERE (job.id = progress.job_id)));
grant select on headrace.progress to headrace_app;
grant select on headrace.progress to headrace_integrator;
grant delete, insert, select, update on headrace.progress to headrace_server;
grant select on headrace.progress to headrace_tenant;
grant delete, insert, select, update on headrace.progress to headrace_worker;

create table headrace.queue (
  job_id            uuid not null,
  seq               bigint not null default nextval('headrace.queue_seq'::regclass),
  run_at            timestamp with time zone,
  queued_at         timestamp with time zone,
  claimed_at        timestamp with time zone,
  worker_id         bigint,
  tenant_id         integer not null,
  lane_id           integer not null,
  run               integer not null default 0,
  status            headrace.job_status not null,
  priority          smallint not null,
  spent             smallint not null default 0,
  max_attempts      smallint not null,
  suspect           boolean not null default false,
  cancel_requested  boolean not null default false,
  dedupe_waiting    boolean not null default false,
  dedupe_key        text,
  overlap_id        uuid,
  gate              bigint,
  unreadable_since  timestamp with time zone,
  constraint queue_pkey PRIMARY KEY (job_id),
  constraint a_live_status CHECK ((status = ANY (ARRAY['scheduled'::headrace.job_status, 'queued'::headrace.job_status, 'running'::headrace.job_status]))),
  constraint due_between_1900_and_9000 CHECK (((run_at >= '1900-01-01 00:00:00+00'::timestamp with time zone) AND (run_at <= '9000-01-01 00:00:00+00'::timestamp with time zone))),
  constraint only_running_is_told_to_cancel CHECK (((status = 'running'::headrace.job_status) OR (NOT cancel_requested))),
  constraint run_counts_claims CHECK ((run >= 0)),
  constraint running_has_a_worker CHECK (((status = 'running'::headrace.job_status) = (worker_id IS NOT NULL))),
  constraint running_was_claimed CHECK (((status = 'running'::headrace.job_status) = (claimed_at IS NOT NULL))),
  constraint scheduled_has_a_time CHECK (((status = 'scheduled'::headrace.job_status) = (run_at IS NOT NULL))),
  constraint spent_within_maximum CHECK (((spent >= 0) AND (spent < max_attempts))),
  constraint waiting_since CHECK (((status = 'scheduled'::headrace.job_status) = (queued_at IS NULL)))
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_scale_factor=0.2, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_threshold=50000, autovacuum_analyze_scale_factor=0.2);
alter table headrace.queue enable row level security;
create policy bound on headrace.queue as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.queue to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.queue using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX queue_claim ON headrace.queue USING btree (lane_id, priority, seq) WHERE ((status = 'queued'::headrace.job_status) AND (NOT suspect) AND (gate IS NULL));
CREATE UNIQUE INDEX queue_dedupe ON headrace.queue USING btree (tenant_id, dedupe_key) WHERE (dedupe_key IS NOT NULL);
CREATE INDEX queue_due ON headrace.queue USING btree (run_at) WHERE (status = 'scheduled'::headrace.job_status);
CREATE INDEX queue_gated ON headrace.queue USING btree (lane_id, tenant_id, gate, priority, seq) WHERE ((status = 'queued'::headrace.job_status) AND (gate IS NOT NULL));
CREATE INDEX queue_gated_running ON headrace.queue USING btree (lane_id, tenant_id, gate) WHERE ((status = 'running'::headrace.job_status) AND (gate IS NOT NULL));
CREATE INDEX queue_held ON headrace.queue USING btree (worker_id) WHERE (status = 'running'::headrace.job_status);
CREATE INDEX queue_overlap ON headrace.queue USING btree (overlap_id) WHERE (overlap_id IS NOT NULL);
CREATE INDEX queue_suspect ON headrace.queue USING btree (lane_id, priority, seq) WHERE ((status = 'queued'::headrace.job_status) AND suspect);
CREATE INDEX queue_unreadable ON headrace.queue USING btree (lane_id) WHERE (unreadable_since IS NOT NULL);
CREATE TRIGGER count_enqueued AFTER INSERT ON headrace.queue REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION headrace._count_enqueued();
grant delete, insert, select, update on headrace.queue to headrace_app;
grant select on headrace.queue to headrace_integrator;
grant delete, insert, select, update on headrace.queue to headrace_server;
grant delete, insert, select, update on headrace.queue to headrace_tenant;
grant delete, insert, select, update on headrace.queue to headrace_worker;

create table headrace.queue_pause (
  queue      text not null,
  note       text not null default ''::text,
  paused_at  timestamp with time zone not null default now(),
  paused_by  text not null,
  resume_at  timestamp with time zone,
  constraint queue_pause_pkey PRIMARY KEY (queue),
  constraint queue_pause_queue_check CHECK ((queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'::text))
);
CREATE TRIGGER tell_workers AFTER INSERT OR DELETE OR UPDATE ON headrace.queue_pause FOR EACH STATEMENT EXECUTE FUNCTION headrace._tell_lanes_changed();
grant delete, insert, select, update on headrace.queue_pause to headrace_server;
grant select on headrace.queue_pause to headrace_tenant;
grant select on headrace.queue_pause to headrace_worker;

create table headrace.queue_sample (
  tenant_id         integer not null,
  lane_id           integer not null,
  status            headrace.job_status not null,
  jobs              bigint not null,
  oldest_queued_at  timestamp with time zone,
  constraint queue_sample_pkey PRIMARY KEY (tenant_id, lane_id, status)
) with (fillfactor=50);
alter table headrace.queue_sample enable row level security;
create policy bound on headrace.queue_sample as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.queue_sample to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.queue_sample using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
grant select on headrace.queue_sample to headrace_metrics;
grant delete, insert, select, update on headrace.queue_sample to headrace_server;
grant select on headrace.queue_sample to headrace_tenant;
grant delete, insert, select, update on headrace.queue_sample to headrace_worker;

create table headrace.queue_setting (
  queue           text not null,
  max_running     integer,
  fair            boolean not null default false,
  ageing_seconds  integer not null default 3600,
  constraint queue_setting_pkey PRIMARY KEY (queue),
  constraint queue_setting_ageing_seconds_check CHECK (((ageing_seconds >= 0) AND (ageing_seconds <= 31536000))),
  constraint queue_setting_max_running_check CHECK (((max_running >= 1) AND (max_running <= 1000000))),
  constraint queue_setting_queue_check CHECK ((queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'::text))
);
CREATE TRIGGER limits_changed AFTER INSERT OR UPDATE ON headrace.queue_setting FOR EACH ROW EXECUTE FUNCTION headrace._limits_changed();
grant select on headrace.queue_setting to headrace_app;
grant delete, insert, select, update on headrace.queue_setting to headrace_server;
grant select on headrace.queue_setting to headrace_tenant;
grant select on headrace.queue_setting to headrace_worker;

create table headrace.queue_share (
  queue      text not null,
  tenant_id  integer not null,
  had        double precision not null,
  constraint queue_share_pkey PRIMARY KEY (queue, tenant_id)
) with (fillfactor=50);
grant delete, insert, select, update on headrace.queue_share to headrace_server;
grant delete, insert, select, update on headrace.queue_share to headrace_worker;

create table headrace.rate_bucket (
  definition_id  integer not null,
  tenant_id      integer not null,
  gate           bigint not null,
  tokens         double precision not null,
  at             timestamp with time zone not null,
  constraint rate_bucket_pkey PRIMARY KEY (definition_id, tenant_id, gate),
  constraint rate_bucket_definition_id_fkey FOREIGN KEY (definition_id) REFERENCES headrace.definition(id) ON DELETE CASCADE
) with (fillfactor=50);
grant delete, insert, select, update on headrace.rate_bucket to headrace_server;
grant delete, insert, select, update on headrace.rate_bucket to headrace_worker;

create table headrace.regate (
  id             integer not null generated always as identity,
  definition_id  integer,
  queue          text,
  tenant_id      integer,
  since          xid8 not null default pg_current_xact_id(),
  swept          boolean not null default false,
  constraint regate_pkey PRIMARY KEY (id),
  constraint of_one_thing CHECK ((num_nonnulls(definition_id, queue, tenant_id) = 1))
);
grant delete, insert, select, update on headrace.regate to headrace_server;
grant delete, insert, select, update on headrace.regate to headrace_worker;

create table headrace.rollup (
  minute            timestamp with time zone not null,
  tenant_id         integer not null,
  definition_id     integer not null,
  enqueued          integer not null default 0,
  requeued          integer not null default 0,
  succeeded         integer not null default 0,
  failed            integer not null default 0,
  canceled          integer not null default 0,
  dead_letter       integer not null default 0,
  runs              integer not null default 0,
  retried           integer not null default 0,
  timed_out         integer not null default 0,
  lost              integer not null default 0,
  snoozed           integer not null default 0,
  released          integer not null default 0,
  depth             integer not null default 0,
  latency_sum       double precision not null default 0,
  duration_sum      double precision not null default 0,
  latency_buckets   integer[] not null default '{}'::integer[],
  duration_buckets  integer[] not null default '{}'::integer[],
  constraint rollup_pkey PRIMARY KEY (minute, tenant_id, definition_id)
) with (fillfactor=70);
alter table headrace.rollup enable row level security;
create policy bound on headrace.rollup as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.rollup to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.rollup using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX rollup_definition ON headrace.rollup USING btree (definition_id, minute);
CREATE INDEX rollup_tenant ON headrace.rollup USING btree (tenant_id, minute);
grant delete, insert, select, update on headrace.rollup to headrace_server;
grant select on headrace.rollup to headrace_tenant;
grant delete, insert, select, update on headrace.rollup to headrace_worker;

create table headrace.rollup_delta (
  at                timestamp with time zone not null,
  tenant_id         integer not null,
  lane_id           integer not null,
  n                 integer not null,
  outcome           headrace.attempt_outcome,
  final             headrace.job_status,
  latency_bucket    smallint,
  duration_bucket   smallint,
  again             boolean not null default false,
  latency_seconds   double precision,
  duration_seconds  double precision
) with (autovacuum_vacuum_threshold=5000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_insert_threshold=-1, autovacuum_analyze_threshold=1000000);
grant insert on headrace.rollup_delta to headrace_app;
grant delete, insert, select on headrace.rollup_delta to headrace_server;
grant insert on headrace.rollup_delta to headrace_tenant;
grant delete, insert, select on headrace.rollup_delta to headrace_worker;

create table headrace.rollup_hour (
  hour              timestamp with time zone not null,
  tenant_id         integer not null,
  definition_id     integer not null,
  enqueued          integer not null default 0,
  requeued          integer not null default 0,
  succeeded         integer not null default 0,
  failed            integer not null default 0,
  canceled          integer not null default 0,
  dead_letter       integer not null default 0,
  runs              integer not null default 0,
  retried           integer not null default 0,
  timed_out         integer not null default 0,
  lost              integer not null default 0,
  snoozed           integer not null default 0,
  released          integer not null default 0,
  depth             integer not null default 0,
  latency_sum       double precision not null default 0,
  duration_sum      double precision not null default 0,
  latency_buckets   integer[] not null default '{}'::integer[],
  duration_buckets  integer[] not null default '{}'::integer[],
  constraint rollup_hour_pkey PRIMARY KEY (hour, tenant_id, definition_id)
) with (fillfactor=70);
alter table headrace.rollup_hour enable row level security;
create policy bound on headrace.rollup_hour as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.rollup_hour to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.rollup_hour using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX rollup_hour_definition ON headrace.rollup_hour USING btree (definition_id, hour);
CREATE INDEX rollup_hour_tenant ON headrace.rollup_hour USING btree (tenant_id, hour);
grant delete, insert, select, update on headrace.rollup_hour to headrace_server;
grant select on headrace.rollup_hour to headrace_tenant;
grant delete, insert, select, update on headrace.rollup_hour to headrace_worker;

create table headrace.rollup_total (
  tenant_id         integer not null,
  definition_id     integer not null,
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
  latency_sum       double precision not null default 0,
  duration_sum      double precision not null default 0,
  latency_buckets   bigint[] not null default '{}'::bigint[],
  duration_buckets  bigint[] not null default '{}'::bigint[],
  constraint rollup_total_pkey PRIMARY KEY (tenant_id, definition_id)
) with (fillfactor=50);
alter table headrace.rollup_total enable row level security;
create policy bound on headrace.rollup_total as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.rollup_total to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.rollup_total using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
grant select on headrace.rollup_total to headrace_metrics;
grant delete, insert, select, update on headrace.rollup_total to headrace_server;
grant select on headrace.rollup_total to headrace_tenant;
grant delete, insert, select, update on headrace.rollup_total to headrace_worker;

create table headrace.rollup_turn (
  id           boolean not null default true,
  folded_at    timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  fold_took    interval not null default '00:00:00'::interval,
  sampled_at   timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  sample_took  interval not null default '00:00:00'::interval,
  constraint rollup_turn_pkey PRIMARY KEY (id),
  constraint rollup_turn_id_check CHECK (id)
) with (fillfactor=50);
grant select on headrace.rollup_turn to headrace_metrics;
grant select, update on headrace.rollup_turn to headrace_server;
grant select on headrace.rollup_turn to headrace_tenant;
grant select, update on headrace.rollup_turn to headrace_worker;

create table headrace.session (
  hash        bytea not null,
  token_id    uuid not null,
  created_at  timestamp with time zone not null default now(),
  expires_at  timestamp with time zone not null,
  constraint session_pkey PRIMARY KEY (hash),
  constraint session_token_id_fkey FOREIGN KEY (token_id) REFERENCES headrace.token(id) ON DELETE CASCADE,
  constraint session_hash_check CHECK ((length(hash) = 32))
);
CREATE INDEX session_expires ON headrace.session USING btree (expires_at);
CREATE INDEX session_token ON headrace.session USING btree (token_id);
grant delete, insert, select, update on headrace.session to headrace_server;

create table headrace.sign_in_code (
  hash        bytea not null,
  token_id    uuid not null,
  expires_at  timestamp with time zone not null,
  constraint sign_in_code_pkey PRIMARY KEY (hash),
  constraint sign_in_code_token_id_fkey FOREIGN KEY (token_id) REFERENCES headrace.token(id) ON DELETE CASCADE,
  constraint sign_in_code_hash_check CHECK ((length(hash) = 32))
);
CREATE INDEX sign_in_code_token ON headrace.sign_in_code USING btree (token_id);
grant delete, insert, select on headrace.sign_in_code to headrace_server;

create table headrace.sql_setting (
  only_row         boolean not null default true,
  allowed_schemas  text[] not null default '{public}'::text[],
  constraint sql_setting_pkey PRIMARY KEY (only_row),
  constraint sql_setting_allowed_schemas_check CHECK (((array_position(allowed_schemas, NULL::text) IS NULL) AND (NOT (allowed_schemas && '{headrace,pg_catalog,information_schema,pg_toast,pg_temp}'::text[])))),
  constraint sql_setting_only_row_check CHECK (only_row)
);
grant select on headrace.sql_setting to headrace_server;
grant select on headrace.sql_setting to headrace_worker;

create table headrace.tenant (
  id                    integer not null generated always as identity,
  name                  text not null,
  created_at            timestamp with time zone not null default now(),
  title                 text not null default ''::text,
  max_queued            integer,
  max_payload_bytes     integer,
  requests_per_minute   integer,
  max_running           integer,
  weight                integer not null default 1,
  queues                text[] not null default '{}'::text[],
  most_urgent_priority  smallint,
  system                boolean not null default false,
  constraint tenant_pkey PRIMARY KEY (id),
  constraint tenant_name_key UNIQUE (name),
  constraint not_the_system_queue CHECK ((NOT ('headrace'::text = ANY (queues)))),
  constraint tenant_max_payload_bytes_check CHECK (((max_payload_bytes >= 2) AND (max_payload_bytes <= 1048576))),
  constraint tenant_max_queued_check CHECK ((max_queued > 0)),
  constraint tenant_max_running_check CHECK (((max_running >= 1) AND (max_running <= 1000000))),
  constraint tenant_most_urgent_priority_check CHECK (((most_urgent_priority >= 0) AND (most_urgent_priority <= 1000))),
  constraint tenant_name_check CHECK (
CASE
    WHEN system THEN (name = '_headrace'::text)
    ELSE (name ~ '^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99}$'::text)
END),
  constraint tenant_queues_check CHECK (((cardinality(queues) <= 100) AND ((to_jsonb(queues))::text ~ '^\[("[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}"(, )?)*\]$'::text))),
  constraint tenant_requests_per_minute_check CHECK ((requests_per_minute > 0)),
  constraint tenant_weight_check CHECK (((weight >= 1) AND (weight <= 1000)))
);
alter table headrace.tenant enable row level security;
create policy bound on headrace.tenant as restrictive to headrace_integrator using (id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.tenant to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.tenant using (id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE TRIGGER limits_changed AFTER UPDATE OF max_running, weight ON headrace.tenant FOR EACH ROW WHEN (((new.max_running IS DISTINCT FROM old.max_running) OR (new.weight IS DISTINCT FROM old.weight))) EXECUTE FUNCTION headrace._limits_changed();
grant select on headrace.tenant to headrace_app;
grant select (id, name) on headrace.tenant to headrace_integrator;
grant select (id, name) on headrace.tenant to headrace_metrics;
grant insert, select, update on headrace.tenant to headrace_server;
grant select, update (id) on headrace.tenant to headrace_tenant;
grant select on headrace.tenant to headrace_worker;

create table headrace.tenant_pause (
  tenant_id  integer not null,
  note       text not null default ''::text,
  paused_at  timestamp with time zone not null default now(),
  paused_by  text not null,
  resume_at  timestamp with time zone,
  constraint tenant_pause_pkey PRIMARY KEY (tenant_id),
  constraint tenant_pause_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES headrace.tenant(id) ON DELETE CASCADE
);
alter table headrace.tenant_pause enable row level security;
create policy bound on headrace.tenant_pause as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.tenant_pause to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.tenant_pause using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE TRIGGER limits_changed AFTER INSERT ON headrace.tenant_pause FOR EACH ROW EXECUTE FUNCTION headrace._limits_changed();
CREATE TRIGGER tell_workers AFTER DELETE OR UPDATE ON headrace.tenant_pause FOR EACH STATEMENT EXECUTE FUNCTION headrace._tell_lanes_changed();
grant select on headrace.tenant_pause to headrace_app;
grant delete, insert, select, update on headrace.tenant_pause to headrace_server;
grant select on headrace.tenant_pause to headrace_tenant;
grant select on headrace.tenant_pause to headrace_worker;

create table headrace.token (
  id            uuid not null default gen_random_uuid(),
  name          text not null,
  hash          bytea not null,
  role          text not null,
  tenant_id     integer,
  queues        text[] not null default '{*}'::text[],
  created_at    timestamp with time zone not null default now(),
  created_by    text not null,
  expires_at    timestamp with time zone,
  last_used_at  timestamp with time zone,
  revoked_at    timestamp with time zone,
  constraint token_pkey PRIMARY KEY (id),
  constraint token_hash_key UNIQUE (hash),
  constraint token_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES headrace.tenant(id),
  constraint only_workers_have_queues CHECK (((role = 'worker'::text) OR (queues = '{*}'::text[]))),
  constraint tenants_roles_have_a_tenant CHECK (((role = ANY (ARRAY['tenant_admin'::text, 'tenant_viewer'::text])) = (tenant_id IS NOT NULL))),
  constraint token_hash_check CHECK ((length(hash) = 32)),
  constraint token_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint token_role_check CHECK ((role = ANY (ARRAY['super_admin'::text, 'tenant_admin'::text, 'tenant_viewer'::text, 'worker'::text, 'metrics'::text])))
);
grant insert, select, update on headrace.token to headrace_server;

create table headrace.trigger (
  id                     uuid not null default gen_random_uuid(),
  tenant_id              integer not null default headrace._tenant_id('default'::text),
  name                   text not null,
  definition_id          integer not null,
  trigger_type           text not null default 'schedule'::text,
  cron                   text,
  every_seconds          double precision,
  timezone               text not null default 'UTC'::text,
  starts_at              timestamp with time zone,
  ends_at                timestamp with time zone,
  max_fires              integer,
  init_version           text not null default ''::text,
  event                  text,
  payload                jsonb not null default '{}'::jsonb,
  condition              text,
  queue                  text,
  priority               smallint,
  max_attempts           smallint,
  catch_up               text not null default 'latest'::text,
  catch_up_cap           integer not null default 100,
  misfire_grace_seconds  double precision not null default 60,
  overlap                text not null default 'allow'::text,
  jitter_seconds         double precision not null default 0,
  dedupe_window_seconds  double precision,
  pause_on_failures      integer,
  enabled                boolean not null default true,
  pause_note             text,
  version                integer not null default 1,
  next_run_at            timestamp with time zone,
  fire_at                timestamp with time zone,
  effective_from         timestamp with time zone not null default clock_timestamp(),
  uncovered_from         timestamp with time zone,
  uncovered_why          text,
  pending_due_at         timestamp with time zone,
  fires                  bigint not null default 0,
  runs                   bigint not null default 0,
  last_run_at            timestamp with time zone,
  last_error             text,
  app                    text,
  declared               jsonb,
  deleted_from_code_at   timestamp with time zone,
  created_at             timestamp with time zone not null default now(),
  created_by             text,
  stopped_at             timestamp with time zone,
  constraint trigger_pkey PRIMARY KEY (id),
  constraint trigger_tenant_id_name_key UNIQUE (tenant_id, name),
  constraint trigger_definition_id_fkey FOREIGN KEY (definition_id) REFERENCES headrace.definition(id),
  constraint trigger_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES headrace.tenant(id),
  constraint a_schedule_has_one_rule CHECK ((((trigger_type = 'schedule'::text) = ((cron IS NOT NULL) OR (every_seconds IS NOT NULL))) AND (num_nonnulls(cron, every_seconds) < 2))),
  constraint a_window_ends_after_it_starts CHECK ((ends_at > starts_at)),
  constraint an_event_has_a_name CHECK (((trigger_type = 'event'::text) = (event IS NOT NULL))),
  constraint an_event_knows_no_time CHECK (((trigger_type <> 'event'::text) OR ((overlap = 'allow'::text) AND (jitter_seconds = (0)::double precision) AND (num_nonnulls(max_fires, starts_at, ends_at, pause_on_failures) = 0)))),
  constraint jitter_is_shorter_than_the_interval CHECK ((jitter_seconds < every_seconds)),
  constraint not_the_system_queue CHECK ((queue <> 'headrace'::text)),
  constraint only_events_have_a_condition CHECK (((trigger_type = 'event'::text) OR (condition IS NULL))),
  constraint times_lie_between_1900_and_9000 CHECK (((((starts_at >= '1900-01-01 00:00:00+00'::timestamp with time zone) AND (starts_at <= '9000-01-01 00:00:00+00'::timestamp with time zone)) OR (starts_at = '-infinity'::timestamp with time zone)) AND (((ends_at >= '1900-01-01 00:00:00+00'::timestamp with time zone) AND (ends_at <= '9000-01-01 00:00:00+00'::timestamp with time zone)) OR (ends_at = 'infinity'::timestamp with time zone)) AND (((next_run_at >= '1900-01-01 00:00:00+00'::timestamp with time zone) AND (next_run_at <= '9000-01-01 00:00:00+00'::timestamp with time zone)) OR (next_run_at = 'infinity'::timestamp with time zone)))),
  constraint trigger_catch_up_cap_check CHECK (((catch_up_cap >= 1) AND (catch_up_cap <= 1000))),
  constraint trigger_catch_up_check CHECK ((catch_up = ANY (ARRAY['none'::text, 'latest'::text, 'all'::text]))),
  constraint trigger_dedupe_window_seconds_check CHECK (((dedupe_window_seconds > (0)::double precision) AND (dedupe_window_seconds <= (31536000)::double precision))),
  constraint trigger_event_check CHECK (((event ~ '^(\*|[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(\.\*)?)$'::text) AND (length(event) <= 200))),
  constraint trigger_every_seconds_check CHECK (((every_seconds >= (0.1)::double precision) AND (every_seconds <= ('3162240000'::bigint)::double precision))),
  constraint trigger_jitter_seconds_check CHECK (((jitter_seconds >= (0)::double precision) AND (jitter_seconds <= (86400)::double precision))),
  constraint trigger_max_attempts_check CHECK (((max_attempts >= 1) AND (max_attempts <= 1000))),
  constraint trigger_max_fires_check CHECK ((max_fires > 0)),
  constraint trigger_misfire_grace_seconds_check CHECK (((misfire_grace_seconds >= (0)::double precision) AND (misfire_grace_seconds <= (31536000)::double precision))),
  constraint trigger_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint trigger_overlap_check CHECK ((overlap = ANY (ARRAY['allow'::text, 'skip'::text, 'queue_one'::text, 'cancel_running'::text]))),
  constraint trigger_pause_on_failures_check CHECK (((pause_on_failures >= 1) AND (pause_on_failures <= 100))),
  constraint trigger_payload_check CHECK ((jsonb_typeof(payload) = 'object'::text)),
  constraint trigger_priority_check CHECK (((priority >= 0) AND (priority <= 1000))),
  constraint trigger_queue_check CHECK ((queue ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'::text)),
  constraint trigger_trigger_type_check CHECK ((trigger_type = ANY (ARRAY['schedule'::text, 'init'::text, 'event'::text]))),
  constraint trigger_uncovered_why_check CHECK ((uncovered_why = ANY (ARRAY['disabled'::text, 'edited'::text])))
) with (fillfactor=80, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_scale_factor=0.2, autovacuum_vacuum_cost_delay=0);
alter table headrace.trigger enable row level security;
create policy bound on headrace.trigger as restrictive to headrace_integrator using (tenant_id = ( SELECT headrace._bound_tenant() AS _bound_tenant));
create policy every_tenant on headrace.trigger to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.trigger using (tenant_id = ( SELECT headrace._current_tenant() AS _current_tenant));
CREATE INDEX trigger_due ON headrace.trigger USING btree (fire_at) WHERE (enabled AND (fire_at IS NOT NULL));
CREATE INDEX trigger_event ON headrace.trigger USING btree (tenant_id, event) WHERE (enabled AND (trigger_type = 'event'::text));
CREATE INDEX trigger_pending ON headrace.trigger USING btree (id) WHERE (pending_due_at IS NOT NULL);
CREATE INDEX trigger_stopped ON headrace.trigger USING btree (tenant_id) WHERE (stopped_at IS NOT NULL);
CREATE INDEX trigger_uncomputed ON headrace.trigger USING btree (id) WHERE (enabled AND (next_run_at IS NULL) AND (trigger_type <> 'event'::text));
CREATE TRIGGER check_place BEFORE INSERT OR UPDATE OF queue, priority, definition_id ON headrace.trigger FOR EACH ROW EXECUTE FUNCTION headrace._check_place_of_trigger();
CREATE TRIGGER mend_stopped BEFORE UPDATE OF definition_id, trigger_type, cron, every_seconds, event, init_version, condition, timezone, payload, catch_up, misfire_grace_seconds, overlap, jitter_seconds, dedupe_window_seconds, pause_on_failures, starts_at, ends_at, max_fires, queue, priority, max_attempts, catch_up_cap ON headrace.trigger FOR EACH ROW WHEN (((NOT new.enabled) AND (NOT old.enabled) AND (new.stopped_at IS NOT NULL) AND (old.stopped_at IS NOT NULL) AND (old.last_error IS NOT NULL) AND (old.pause_note IS NULL) AND (new.pause_note IS NULL) AND (new.deleted_from_code_at IS NULL) AND ((((((((((((((((((((((new.definition_id IS DISTINCT FROM old.definition_id) OR (new.trigger_type IS DISTINCT FROM old.trigger_type)) OR (new.cron IS DISTINCT FROM old.cron)) OR (new.every_seconds IS DISTINCT FROM old.every_seconds)) OR (new.event IS DISTINCT FROM old.event)) OR (new.init_version IS DISTINCT FROM old.init_version)) OR (new.condition IS DISTINCT FROM old.condition)) OR (new.timezone IS DISTINCT FROM old.timezone)) OR (new.payload IS DISTINCT FROM old.payload)) OR (new.catch_up IS DISTINCT FROM old.catch_up)) OR (new.misfire_grace_seconds IS DISTINCT FROM old.misfire_grace_seconds)) OR (new.overlap IS DISTINCT FROM old.overlap)) OR (new.jitter_seconds IS DISTINCT FROM old.jitter_seconds)) OR (new.dedupe_window_seconds IS DISTINCT FROM old.dedupe_window_seconds)) OR (new.pause_on_failures IS DISTINCT FROM old.pause_on_failures)) OR (new.starts_at IS DISTINCT FROM old.starts_at)) OR (new.ends_at IS DISTINCT FROM old.ends_at)) OR (new.max_fires IS DISTINCT FROM old.max_fires)) OR (new.queue IS DISTINCT FROM old.queue)) OR (new.priority IS DISTINCT FROM old.priority)) OR (new.max_attempts IS DISTINCT FROM old.max_attempts)) OR (new.catch_up_cap IS DISTINCT FROM old.catch_up_cap)))) EXECUTE FUNCTION headrace._trigger_mended();
CREATE TRIGGER note_change BEFORE UPDATE OF name, definition_id, enabled, trigger_type, cron, every_seconds, event, init_version, condition, timezone, payload, catch_up, misfire_grace_seconds, overlap, jitter_seconds, dedupe_window_seconds, pause_on_failures, starts_at, ends_at, max_fires, queue, priority, max_attempts, catch_up_cap ON headrace.trigger FOR EACH ROW WHEN (((((((((((((((((((((((((new.name IS DISTINCT FROM old.name) OR (new.definition_id IS DISTINCT FROM old.definition_id)) OR (new.enabled IS DISTINCT FROM old.enabled)) OR (new.trigger_type IS DISTINCT FROM old.trigger_type)) OR (new.cron IS DISTINCT FROM old.cron)) OR (new.every_seconds IS DISTINCT FROM old.every_seconds)) OR (new.event IS DISTINCT FROM old.event)) OR (new.init_version IS DISTINCT FROM old.init_version)) OR (new.condition IS DISTINCT FROM old.condition)) OR (new.timezone IS DISTINCT FROM old.timezone)) OR (new.payload IS DISTINCT FROM old.payload)) OR (new.catch_up IS DISTINCT FROM old.catch_up)) OR (new.misfire_grace_seconds IS DISTINCT FROM old.misfire_grace_seconds)) OR (new.overlap IS DISTINCT FROM old.overlap)) OR (new.jitter_seconds IS DISTINCT FROM old.jitter_seconds)) OR (new.dedupe_window_seconds IS DISTINCT FROM old.dedupe_window_seconds)) OR (new.pause_on_failures IS DISTINCT FROM old.pause_on_failures)) OR (new.starts_at IS DISTINCT FROM old.starts_at)) OR (new.ends_at IS DISTINCT FROM old.ends_at)) OR (new.max_fires IS DISTINCT FROM old.max_fires)) OR (new.queue IS DISTINCT FROM old.queue)) OR (new.priority IS DISTINCT FROM old.priority)) OR (new.max_attempts IS DISTINCT FROM old.max_attempts)) OR (new.catch_up_cap IS DISTINCT FROM old.catch_up_cap))) EXECUTE FUNCTION headrace._trigger_changed();
CREATE TRIGGER note_creation BEFORE INSERT ON headrace.trigger FOR EACH ROW EXECUTE FUNCTION headrace._trigger_created();
CREATE TRIGGER note_deletion BEFORE DELETE ON headrace.trigger FOR EACH ROW EXECUTE FUNCTION headrace._trigger_deleted();
CREATE TRIGGER note_due_time BEFORE UPDATE OF next_run_at ON headrace.trigger FOR EACH ROW WHEN (((new.next_run_at IS DISTINCT FROM old.next_run_at) AND (NOT (new.fire_at IS DISTINCT FROM old.fire_at)))) EXECUTE FUNCTION headrace._due_time_set();
CREATE TRIGGER note_going_on BEFORE UPDATE OF enabled ON headrace.trigger FOR EACH ROW WHEN ((new.enabled AND (new.stopped_at IS NOT NULL))) EXECUTE FUNCTION headrace._trigger_goes_on();
CREATE TRIGGER refuse_system_job BEFORE INSERT OR UPDATE OF definition_id, tenant_id ON headrace.trigger FOR EACH ROW EXECUTE FUNCTION headrace._refuse_system_job();
grant select on headrace.trigger to headrace_app;
grant select on headrace.trigger to headrace_integrator;
grant select (enabled, fire_at) on headrace.trigger to headrace_metrics;
grant delete, insert, select, update on headrace.trigger to headrace_server;
grant delete, insert, select, update on headrace.trigger to headrace_tenant;
grant delete, insert, select, update on headrace.trigger to headrace_worker;

create unlogged table headrace.waiter (
  job_id      uuid not null,
  waiter_id   uuid not null,
  expires_at  timestamp with time zone not null,
  constraint waiter_pkey PRIMARY KEY (job_id, waiter_id)
);
alter table headrace.waiter enable row level security;
create policy every_tenant on headrace.waiter to headrace_app, headrace_metrics, headrace_server, headrace_worker using (true);
create policy own on headrace.waiter using (EXISTS ( SELECT
   FROM headrace.job
  WHERE (job.id = waiter.job_id)));
grant delete, insert, select on headrace.waiter to headrace_app;
grant delete, insert, select on headrace.waiter to headrace_server;
grant delete, insert, select, update on headrace.waiter to headrace_tenant;
grant delete, insert, select on headrace.waiter to headrace_worker;

create table headrace.worker (
  id                bigint not null generated always as identity,
  name              text not null,
  hostname          text not null,
  pid               integer not null,
  version           text not null,
  queues            text[] not null,
  definitions       text[] not null,
  concurrency       integer not null,
  running           integer not null default 0,
  state             headrace.worker_state not null default 'live'::headrace.worker_state,
  armed             boolean not null default false,
  lease             interval not null,
  lease_expires_at  timestamp with time zone not null,
  started_at        timestamp with time zone not null default now(),
  heartbeat_at      timestamp with time zone not null default now(),
  stopped_at        timestamp with time zone,
  principal         text,
  draining          boolean not null default false,
  memory_bytes      bigint,
  stood_still       interval,
  process           text,
  schemas           jsonb not null default '{}'::jsonb,
  lost_with         integer,
  constraint worker_pkey PRIMARY KEY (id),
  constraint worker_lease_check CHECK ((lease > '00:00:00'::interval)),
  constraint worker_lost_with_check CHECK ((lost_with >= 0)),
  constraint worker_memory_bytes_check CHECK ((memory_bytes >= 0)),
  constraint worker_stood_still_check CHECK ((stood_still > '00:00:00'::interval))
) with (fillfactor=50);
CREATE INDEX worker_live ON headrace.worker USING btree (lease_expires_at) WHERE (state = 'live'::headrace.worker_state);
grant select (id, name, state, armed, lease_expires_at) on headrace.worker to headrace_app;
grant select (id, name) on headrace.worker to headrace_integrator;
grant select (state, lease, heartbeat_at, stopped_at, draining) on headrace.worker to headrace_metrics;
grant delete, insert, select, update on headrace.worker to headrace_server;
grant select (id, name, queues, definitions, concurrency, running, state, armed, lease_expires_at, heartbeat_at, schemas) on headrace.worker to headrace_tenant;
grant delete, insert, select, update on headrace.worker to headrace_worker;

create view headrace.job_history (
  job            uuid,
  name           text,
  tenant         text,
  started_at     timestamp with time zone,
  completed_at   timestamp with time zone,
  duration_ms    bigint,
  success        boolean,
  message        text,
  details        jsonb,
  scheduled_for  timestamp with time zone,
  triggered_by   text
) with (security_invoker=true) as
 SELECT job.id AS job,
    COALESCE(live.name, gone.name, definition.key) AS name,
    tenant.name AS tenant,
    ended.started_at,
    ended.finished_at AS completed_at,
    (round((EXTRACT(epoch FROM (ended.finished_at - ended.started_at)) * (1000)::numeric)))::bigint AS duration_ms,
    (ended.final = 'succeeded'::headrace.job_status) AS success,
    COALESCE(ended.error, (ended.result ->> 'message'::text)) AS message,
        CASE
            WHEN ((jsonb_typeof(ended.result) = 'object'::text) AND (ended.result ? 'message'::text)) THEN (ended.result -> 'details'::text)
            ELSE ended.result
        END AS details,
    job.scheduled_for,
    job.source AS triggered_by
   FROM ((((((headrace.attempt ended
     JOIN headrace.job ON ((job.id = ended.job_id)))
     JOIN headrace.tenant ON ((tenant.id = job.tenant_id)))
     JOIN headrace.definition ON ((definition.id = job.definition_id)))
     LEFT JOIN headrace.delivery ON (((delivery.event_id = job.source_ref) AND (delivery.job_id = job.id) AND (job.source = 'event'::text))))
     LEFT JOIN headrace.trigger live ON ((live.id = COALESCE(delivery.trigger_id, job.source_ref))))
     LEFT JOIN headrace.deleted_trigger gone ON ((gone.id = COALESCE(delivery.trigger_id, job.source_ref))))
  WHERE (ended.final IS NOT NULL);
grant select on headrace.job_history to headrace_app;
grant select on headrace.job_history to headrace_integrator;
grant select on headrace.job_history to headrace_server;
grant select on headrace.job_history to headrace_worker;

create view headrace.jobs (
  id                uuid,
  tenant            text,
  definition        text,
  queue             text,
  status            text,
  priority          smallint,
  payload           jsonb,
  source            text,
  correlation_id    text,
  dedupe_key        text,
  scheduled_for     timestamp with time zone,
  queued_at         timestamp with time zone,
  started_at        timestamp with time zone,
  finished_at       timestamp with time zone,
  attempt_count     integer,
  max_attempts      smallint,
  worker            text,
  last_error        text,
  result            jsonb,
  progress          real,
  created_by        text,
  idempotency_key   text,
  source_ref        uuid,
  created_at        timestamp with time zone,
  run_at            timestamp with time zone,
  run               integer,
  cancel_requested  boolean,
  progress_message  text,
  trigger_id        uuid,
  event_id          uuid,
  replaced_by       uuid,
  retry_of          uuid,
  kind              text,
  unsuccessful      boolean
) with (security_invoker=true) as
 SELECT job.id,
    tenant.name AS tenant,
    definition.key AS definition,
    lane.queue,
    (COALESCE(live.status, ended.final))::text AS status,
    job.priority,
    job.payload,
    job.source,
    job.correlation_id,
    job.dedupe_key,
    job.scheduled_for,
    COALESCE(live.queued_at, ended.queued_at) AS queued_at,
    COALESCE(live.claimed_at, ran.started_at) AS started_at,
    ended.finished_at,
    COALESCE((live.spent + ((live.status = 'running'::headrace.job_status))::integer), (ended.spent)::integer) AS attempt_count,
    job.max_attempts,
    worker.name AS worker,
    troubled.error AS last_error,
    ended.result,
    progress.fraction AS progress,
    job.created_by,
    job.idempotency_key,
    job.source_ref,
    job.created_at,
    live.run_at,
    COALESCE(live.run, ended.run) AS run,
    COALESCE(live.cancel_requested, false) AS cancel_requested,
    progress.message AS progress_message,
        CASE
            WHEN (job.source = ANY (ARRAY['scheduler'::text, 'catchup'::text, 'manual'::text, 'backfill'::text])) THEN job.source_ref
            ELSE job.trigger_id
        END AS trigger_id,
        CASE
            WHEN (job.source = 'event'::text) THEN job.source_ref
            ELSE NULL::uuid
        END AS event_id,
    ended.replaced_by,
        CASE
            WHEN (job.source = 'retry'::text) THEN job.source_ref
            ELSE NULL::uuid
        END AS retry_of,
    definition.kind,
    COALESCE((ended.final = ANY (ARRAY['failed'::headrace.job_status, 'dead_letter'::headrace.job_status])), false) AS unsuccessful
   FROM (((((((((headrace.job
     JOIN headrace.tenant ON ((tenant.id = job.tenant_id)))
     JOIN headrace.definition ON ((definition.id = job.definition_id)))
     JOIN headrace.lane ON ((lane.id = job.lane_id)))
     LEFT JOIN headrace.queue live ON ((live.job_id = job.id)))
     LEFT JOIN LATERAL ( SELECT attempt.final,
            attempt.queued_at,
            attempt.finished_at,
            attempt.spent,
            attempt.result,
            attempt.run,
            attempt.replaced_by
           FROM headrace.attempt
          WHERE ((attempt.job_id = job.id) AND (attempt.final IS NOT NULL))
          ORDER BY attempt.run DESC
         LIMIT 1) ended ON ((live.job_id IS NULL)))
     LEFT JOIN LATERAL ( SELECT attempt.started_at,
            attempt.worker_id
           FROM headrace.attempt
          WHERE ((attempt.job_id = job.id) AND (attempt.started_at IS NOT NULL))
          ORDER BY attempt.run DESC
         LIMIT 1) ran ON (true))
     LEFT JOIN LATERAL ( SELECT attempt.error
           FROM headrace.attempt
          WHERE ((attempt.job_id = job.id) AND (attempt.error IS NOT NULL) AND (attempt.outcome <> ALL (ARRAY['snoozed'::headrace.attempt_outcome, 'released'::headrace.attempt_outcome])))
          ORDER BY attempt.run DESC
         LIMIT 1) troubled ON (true))
     LEFT JOIN headrace.worker ON ((worker.id = COALESCE(live.worker_id, ran.worker_id))))
     LEFT JOIN headrace.progress ON ((progress.job_id = job.id)));
grant select on headrace.jobs to headrace_app;
grant select on headrace.jobs to headrace_integrator;
grant select on headrace.jobs to headrace_server;
grant select on headrace.jobs to headrace_tenant;
grant select on headrace.jobs to headrace_worker;

create view headrace.queue_depth (
  queue       text,
  definition  text,
  status      text,
  jobs        bigint,
  oldest      timestamp with time zone
) with (security_invoker=true) as
 SELECT lane.queue,
    definition.key AS definition,
    (waiting.status)::text AS status,
    count(*) AS jobs,
    min(waiting.queued_at) AS oldest
   FROM ((headrace.queue waiting
     JOIN headrace.lane ON ((lane.id = waiting.lane_id)))
     JOIN headrace.definition ON ((definition.id = lane.definition_id)))
  GROUP BY lane.queue, definition.key, waiting.status;
grant select on headrace.queue_depth to headrace_app;
grant select on headrace.queue_depth to headrace_integrator;
grant select on headrace.queue_depth to headrace_server;
grant select on headrace.queue_depth to headrace_tenant;
grant select on headrace.queue_depth to headrace_worker;

create view headrace.schedule_status (
  name                  text,
  tenant                text,
  definition            text,
  enabled               boolean,
  next_run_at           timestamp with time zone,
  last_run_at           timestamp with time zone,
  last_run_success      boolean,
  total_runs            bigint,
  success_rate_percent  numeric,
  avg_duration_ms       bigint,
  max_duration_ms       bigint,
  id                    uuid,
  trigger_type          text,
  cron                  text,
  every_seconds         double precision,
  timezone              text,
  pause_note            text,
  last_error            text,
  obstacle              text
) with (security_invoker=true) as
 SELECT t.name,
    tenant.name AS tenant,
    definition.key AS definition,
    t.enabled,
        CASE
            WHEN (isfinite(t.next_run_at) AND t.enabled) THEN t.next_run_at
            ELSE NULL::timestamp with time zone
        END AS next_run_at,
    t.last_run_at,
    recent.last_run_success,
    t.runs AS total_runs,
    recent.success_rate_percent,
    recent.avg_duration_ms,
    recent.max_duration_ms,
    t.id,
    t.trigger_type,
    t.cron,
    t.every_seconds,
    t.timezone,
    t.pause_note,
    t.last_error,
        CASE
            WHEN (NOT t.enabled) THEN NULL::text
            WHEN (definition.deleted_from_code_at IS NOT NULL) THEN 'deleted_from_code'::text
            WHEN (NOT definition.enabled) THEN 'definition_disabled'::text
            WHEN (NOT headrace._may_run(definition.id, tenant.id)) THEN 'tenant_not_allowed'::text
            ELSE NULL::text
        END AS obstacle
   FROM (((headrace.trigger t
     JOIN headrace.tenant ON ((tenant.id = t.tenant_id)))
     JOIN headrace.definition ON ((definition.id = t.definition_id)))
     LEFT JOIN LATERAL ( SELECT (array_agg((ended.final = 'succeeded'::headrace.job_status) ORDER BY ended.finished_at DESC))[1] AS last_run_success,
            round(((100.0 * (count(*) FILTER (WHERE (ended.final = 'succeeded'::headrace.job_status)))::numeric) / (count(*))::numeric), 1) AS success_rate_percent,
            (round(avg(ended.duration_ms)))::bigint AS avg_duration_ms,
            max(ended.duration_ms) AS max_duration_ms
           FROM (( SELECT fire.job_id
                   FROM headrace.fire
                  WHERE ((fire.trigger_id = t.id) AND (fire.outcome = 'fired'::text))
                  ORDER BY fire.due_at DESC
                 LIMIT 100) fired
             JOIN LATERAL ( SELECT attempt.final,
                    attempt.finished_at,
                    (round((EXTRACT(epoch FROM (attempt.finished_at - attempt.started_at)) * (1000)::numeric)))::bigint AS duration_ms
                   FROM headrace.attempt
                  WHERE ((attempt.job_id = fired.job_id) AND (attempt.final IS NOT NULL))
                  ORDER BY attempt.run DESC
                 LIMIT 1) ended ON (true))
         HAVING (count(*) > 0)) recent ON (true))
  WHERE (t.trigger_type <> 'event'::text);
grant select on headrace.schedule_status to headrace_app;
grant select on headrace.schedule_status to headrace_integrator;
grant select on headrace.schedule_status to headrace_server;
grant select on headrace.schedule_status to headrace_worker;

function headrace._add_buckets(one bigint[], other anyarray) returns bigint[]  -- 5eb093f1b0de; execute: public
function headrace._alerts_due() returns double precision  -- fd37bb703faf; execute: public
function headrace._allowed_place(def headrace.definition, queue text, priority integer, OUT allowed_queue text, OUT allowed_priority integer) returns record  -- 88af9055ca7a; execute: public
function headrace._as_buckets(buckets smallint[], counts bigint[]) returns bigint[]  -- 830143b26059; execute: public
function headrace._asked_definition(wanted text) returns integer set search_path=pg_catalog, pg_temp  -- c311ea5241be; execute: public
function headrace._bound_tenant() returns integer security definer set search_path=pg_catalog, pg_temp  -- a1eeaba80d7d; execute: headrace_app, headrace_integrator, headrace_metrics, headrace_server, headrace_tenant, headrace_worker
function headrace._by_integrator() returns boolean  -- efdfcc4a0fdb; execute: public
function headrace._change_one(action text, wanted uuid) returns boolean  -- 193e41b083e7; execute: public
function headrace._check_place(def headrace.definition, queue text, priority integer) returns void  -- a37bbf4257c2; execute: public
function headrace._check_place_of_trigger() returns trigger  -- ba936efb3780; execute: public
function headrace._check_request(payloads jsonb[], priority integer, max_attempts integer, dedupe_keys text[], idempotency_keys text[], dedupe_while text) returns void  -- 806497745c9c; execute: public
function headrace._check_trigger_amount(of_tenant_id integer, added boolean) returns void  -- c97009528114; execute: public
function headrace._check_zone(zone text) returns void  -- 20c0d4e3d8ed; execute: public
function headrace._choosing_tenant() returns integer  -- 27cc6d67e588; execute: public
function headrace._claim_alone(for_worker_id bigint, of_lanes integer[], wanted integer, up_to_priority integer) returns TABLE(job_id uuid, run integer, spent smallint, max_attempts smallint, lane_id integer, tenant_id integer, suspect boolean) set plan_cache_mode=force_generic_plan set enable_seqscan=off set enable_bitmapscan=off  -- 02f8aed8f99f; execute: public
function headrace._claim_gated(for_worker_id bigint, of_lanes integer[], wanted integer, most_suspects integer, up_to_priority integer) returns TABLE(job_id uuid, run integer, spent smallint, max_attempts smallint, lane_id integer, tenant_id integer, suspect boolean, opens_in double precision) set plan_cache_mode=force_generic_plan set enable_seqscan=off set enable_bitmapscan=off set enable_mergejoin=off  -- 7de904a81fc1; execute: public
function headrace._count_enqueued() returns trigger  -- 62cff497a92c; execute: public
function headrace._create_log_partition(lower_bound timestamp with time zone, upper_bound timestamp with time zone) returns void  -- 897744f3e00b; execute: public
function headrace._create_log_partitions(days_ahead integer DEFAULT 3) returns integer  -- 27639d24cf70; execute: public
function headrace._create_partition(lower_bound timestamp with time zone, upper_bound timestamp with time zone) returns void  -- 44009620e06a; execute: public
function headrace._create_partitions(weeks_ahead integer DEFAULT 4) returns integer  -- e8d3266c1cc4; execute: public
function headrace._cron_has_a_day(days integer[], months integer[], weekdays integer[], both_say boolean, since integer, until integer) returns boolean  -- ac0ddedef3bd; execute: public
function headrace._cron_problem(rule text) returns text  -- 2b4716a292a1; execute: public
function headrace._cron_term_problem(field integer, term text) returns text  -- b24e71e7c8b3; execute: public
function headrace._cron_value(field integer, word text) returns integer  -- c1a1015847a7; execute: public
function headrace._cron_values(field integer, text text) returns integer[]  -- d4cc9217c760; execute: public
function headrace._current_tenant() returns integer  -- 65839508f127; execute: public
function headrace._definition_uuid(key text) returns uuid  -- 4bf4a532d3f9; execute: public
function headrace._delete_expired(what text, keep interval, at_most integer) returns integer security definer set search_path=pg_catalog, pg_temp  -- 29cd430943fd; execute: headrace_server, headrace_worker
function headrace._delete_job(wanted uuid) returns boolean  -- 61f31850a213; execute: public
function headrace._drop_leaving_day(day text) returns void security definer set search_path=pg_catalog, pg_temp set lock_timeout=200ms  -- 6bd9f0302778; execute: headrace_server, headrace_worker
function headrace._drop_leaving_week(week text) returns void security definer set search_path=pg_catalog, pg_temp set lock_timeout=200ms  -- 65607a20b627; execute: headrace_server, headrace_worker
function headrace._due_time_set() returns trigger  -- 5bf244c78f2d; execute: public
function headrace._emit_once(name text, data jsonb, idempotency_key text, tenant text, correlation_id text, OUT event_id uuid, OUT created boolean) returns record  -- 0eeeea5e02c0; execute: public
function headrace._enqueue(definition text, payloads jsonb[], tenant text, queue text, priority integer, scheduled_for timestamp with time zone, dedupe_keys text[], idempotency_keys text[], correlation_id text, max_attempts integer, dedupe_while text, source text, source_ref uuid, created_by text) returns uuid[]  -- 1bba9828dc5d; execute: public
function headrace._ensure_roles() returns void  -- c68407e2a8cb; execute: public
function headrace._first_id(at timestamp with time zone) returns uuid  -- d6e1b3edb5b2; execute: public
function headrace._follow_code(d headrace.definition, says jsonb, forced boolean DEFAULT false) returns headrace.definition  -- 46d33cf2f211; execute: public
function headrace._gate_key(payload jsonb, concurrency_key text) returns bigint  -- e301b03be1fc; execute: public
function headrace._gated(of_lane_id integer, of_tenant_id integer) returns boolean  -- 8d1e0a547d8f; execute: public
function headrace._grant_rights() returns void  -- fc689f02a798; execute: public
function headrace._insert_jobs(def headrace.definition, ids uuid[], of_tenant_id integer, of_lane_id integer, payloads jsonb[], with_priority integer, with_attempts integer, due timestamp with time zone DEFAULT NULL::timestamp with time zone, settled uuid[] DEFAULT NULL::uuid[], dedupe_keys text[] DEFAULT NULL::text[], waiting_only boolean DEFAULT false, overlap_ids uuid[] DEFAULT NULL::uuid[], runs integer[] DEFAULT NULL::integer[], from_source text DEFAULT NULL::text, source_refs uuid[] DEFAULT NULL::uuid[], trigger_ids uuid[] DEFAULT NULL::uuid[], tenant_ids integer[] DEFAULT NULL::integer[], correlation_ids text[] DEFAULT NULL::text[], idempotency_keys text[] DEFAULT NULL::text[], scheduled_fors timestamp with time zone[] DEFAULT NULL::timestamp with time zone[], by_whom text DEFAULT NULL::text, trace_contexts text[] DEFAULT NULL::text[]) returns uuid[]  -- a52d0652e14b; execute: public
function headrace._insert_keyed(ids uuid[], of_tenant_id integer, of_lane_id integer, due timestamp with time zone, with_priority integer, with_attempts integer, settled uuid[], gates bigint[], keys text[], waiting_only boolean, overlap_ids uuid[], runs integer[]) returns uuid[] set plan_cache_mode=force_custom_plan  -- f0e1573484dd; execute: public
function headrace._job_ids(n integer) returns uuid[]  -- 872a75c12f18; execute: public
function headrace._job_or_error(wanted uuid) returns headrace.job  -- ad53593d64e6; execute: public
function headrace._json_problem(value jsonb, deepest integer DEFAULT 200, longest integer DEFAULT 4300) returns text  -- d10dc6f28ece; execute: public
function headrace._lane(in_queue text, of_definition_id integer) returns integer  -- 5951bc2f0998; execute: public
function headrace._limits_changed() returns trigger  -- 9002ae1417ae; execute: public
function headrace._live_job_of(of_trigger_id uuid) returns uuid  -- 703710e8350c; execute: public
function headrace._log_hour(at timestamp with time zone) returns integer  -- fdd426a88880; execute: public
function headrace._log_minute(at timestamp with time zone) returns integer  -- 157fc52eaa94; execute: public
function headrace._log_query(query text) returns tsquery set search_path=pg_catalog, pg_temp  -- d17e3c989f6a; execute: public
function headrace._log_tags(tenant_id integer, definition_id integer, level smallint, at timestamp with time zone) returns integer[]  -- ee26c1cd7439; execute: public
function headrace._log_text(message text) returns text  -- 736be3da2112; execute: public
function headrace._log_words(message text) returns tsvector  -- 20f3ff173309; execute: public
function headrace._lost_error(stood_still interval) returns text  -- 87f9c0bff999; execute: public
function headrace._make_log_partitions() returns integer security definer set search_path=pg_catalog, pg_temp  -- ccb4ede6483c; execute: headrace_server, headrace_worker
function headrace._make_partitions() returns integer security definer set search_path=pg_catalog, pg_temp  -- d62bb611a8ba; execute: headrace_server, headrace_worker
function headrace._make_policies() returns void  -- af52e4c67295; execute: public
function headrace._may_run(of_definition_id integer, of_tenant_id integer) returns boolean security definer set search_path=pg_catalog, pg_temp  -- b860f00ce2fb; execute: headrace_app, headrace_integrator, headrace_server, headrace_worker
function headrace._may_take(taker text, role text) returns boolean  -- f2d02dbe617e; execute: public
function headrace._own_cancel(job_id uuid) returns boolean security definer set search_path=pg_catalog, pg_temp  -- 65313d2fe5f2; execute: headrace_integrator
function headrace._own_define_sql_job(key text, function text, description text, timeout_seconds double precision, max_attempts integer, settings jsonb) returns uuid security definer set search_path=pg_catalog, pg_temp  -- 1887bce8299b; execute: headrace_integrator
function headrace._own_emit(name text, data jsonb, tenant text, correlation_id text) returns uuid security definer set search_path=pg_catalog, pg_temp  -- 80886fddda05; execute: headrace_integrator
function headrace._own_emit_once(name text, data jsonb, idempotency_key text, tenant text, correlation_id text, OUT event_id uuid, OUT created boolean) returns record security definer set search_path=pg_catalog, pg_temp  -- f113d71ca413; execute: headrace_integrator
function headrace._own_enqueue(definition text, payloads jsonb[], tenant text, queue text, priority integer, scheduled_for timestamp with time zone, dedupe_keys text[], idempotency_keys text[], correlation_id text, max_attempts integer, dedupe_while text) returns uuid[] security definer set search_path=pg_catalog, pg_temp  -- 176fac2ea04e; execute: headrace_integrator
function headrace._own_job(wanted uuid) returns uuid  -- 90a2eac5286d; execute: public
function headrace._own_retry(job_id uuid) returns boolean security definer set search_path=pg_catalog, pg_temp  -- 28f72f3cf8bf; execute: headrace_integrator
function headrace._own_schedule(name text, definition text, cron text, timezone text, payload jsonb, tenant text, every interval, catch_up text, overlap text, max_attempts integer, enabled boolean) returns uuid security definer set search_path=pg_catalog, pg_temp  -- 598cab516023; execute: headrace_integrator
function headrace._own_tenant(wanted text) returns text  -- a80c62b27c03; execute: public
function headrace._own_trigger(name text, tenant text) returns jsonb security definer set search_path=pg_catalog, pg_temp  -- acf2420096af; execute: headrace_integrator
function headrace._own_undefine_sql_job(key text) returns boolean security definer set search_path=pg_catalog, pg_temp  -- 38d72255ed9e; execute: headrace_integrator
function headrace._own_unschedule(name text, tenant text) returns boolean security definer set search_path=pg_catalog, pg_temp  -- d488e500a160; execute: headrace_integrator
function headrace._parse_function(function text, OUT in_schema text, OUT called text, OUT signature text) returns record  -- aeadd11b5cf2; execute: public
function headrace._queues_of(own integer) returns text[]  -- 76f88861903f; execute: public
function headrace._ready_roles() returns text[]  -- 87f6b22d66bf; execute: public
function headrace._refuse_leaving() returns trigger security definer set search_path=pg_catalog, pg_temp  -- 3d99e80d9060
function headrace._refuse_payloads(payloads jsonb[]) returns void  -- 3e47380c221b; execute: public
function headrace._refuse_secrets(def headrace.definition, payloads jsonb[]) returns void  -- ef51887dcdd6; execute: public
function headrace._refuse_system_job() returns trigger security definer set search_path=pg_catalog, pg_temp  -- 75e17b0df5fe
function headrace._replace(job_id uuid, new_job_id uuid) returns boolean  -- 1699f037cb62; execute: public
function headrace._rights() returns TABLE(what text, tenant text, app text, integrator text, worker text, server text, metrics text)  -- 1df84b323765; execute: public
function headrace._roles() returns text[]  -- 686c623f6eec; execute: public
function headrace._roles_wait() returns boolean  -- 7a815e677533; execute: public
function headrace._rollups_due(OUT fold_in double precision, OUT sample_in double precision) returns record  -- 475fe63ac701; execute: public
function headrace._run_now(of_trigger_id uuid, with_payload jsonb, with_overlap text, by_whom text) returns headrace.fire  -- 9118e8275715; execute: public
function headrace._runnable(wanted text, for_tenant_id integer, known boolean DEFAULT false) returns headrace.definition  -- 2bedf8f599cc; execute: public
function headrace._schedule_problem(name text, cron text, every interval, payload jsonb, catch_up text, overlap text, max_attempts integer) returns text  -- d5d87b8ecf98; execute: public
function headrace._secret_fields(payload_schema jsonb) returns text[]  -- f5a612effbc7; execute: public
function headrace._send_notice(notice_id uuid) returns uuid security definer set search_path=pg_catalog, pg_temp  -- f2521dca7993; execute: headrace_server, headrace_tenant, headrace_worker
function headrace._settle_idempotency(for_tenant_id integer, keys text[], ids uuid[], hashes bytea[]) returns uuid[] set plan_cache_mode=force_custom_plan  -- d85c3a70f00e; execute: public
function headrace._shown_columns(what text, of_role text) returns text  -- 6929d5d6a9f1; execute: public
function headrace._sql_app() returns text  -- c68fae0bd4cf; execute: public
function headrace._sql_job_function(function text) returns pg_proc  -- c51213c22145; execute: public
function headrace._sql_job_problem(p pg_proc) returns text  -- d4d0c19dd349; execute: public
function headrace._system_tenant() returns integer  -- 2e2232d58a28; execute: public
function headrace._tell_lanes_changed() returns trigger  -- 627fb026ce63; execute: public
function headrace._tell_waiters(job uuid) returns void  -- 48bc4fb49814; execute: public
function headrace._tenant_id(wanted text) returns integer  -- 218efb7fb322; execute: public
function headrace._tokens(burst integer, a_second double precision, held double precision, since timestamp with time zone, moment timestamp with time zone) returns double precision  -- b2dcd130104b; execute: public
function headrace._trace_context() returns text  -- de17d2e2820c; execute: public
function headrace._trigger_changed() returns trigger  -- f04a0c94daf2; execute: public
function headrace._trigger_created() returns trigger  -- 9151dc14dbba; execute: public
function headrace._trigger_deleted() returns trigger  -- 1b36e715d040; execute: public
function headrace._trigger_goes_on() returns trigger  -- 300b23483ff7; execute: public
function headrace._trigger_mended() returns trigger  -- a4cbf9a9bc71; execute: public
function headrace._trigger_or_error(wanted text, tenant text) returns headrace.trigger  -- 0d3340a733ac; execute: public
function headrace._wake_schedulers(changed headrace.trigger) returns void  -- 0d06ce2507dd; execute: public
function headrace._wake_workers() returns void  -- 47335e91392e; execute: public
function headrace._zones() returns SETOF text  -- 9de593d1c490; execute: public
function headrace.bind_login(login text, tenant text) returns void  -- 2a4e0b75d46b; execute: public
function headrace.cancel(job_id uuid) returns boolean  -- 5fe83b4570f1; execute: public
function headrace.define_sql_job(key text, function text, description text DEFAULT ''::text, timeout_seconds double precision DEFAULT NULL::double precision, max_attempts integer DEFAULT NULL::integer, settings jsonb DEFAULT '{}'::jsonb) returns uuid  -- 350ddc8a3bf7; execute: public
function headrace.emit(name text, data jsonb DEFAULT '{}'::jsonb, tenant text DEFAULT 'default'::text, correlation_id text DEFAULT NULL::text) returns uuid  -- 66a0dcba13e4; execute: public
function headrace.emit_once(name text, data jsonb, idempotency_key text, tenant text DEFAULT 'default'::text, correlation_id text DEFAULT NULL::text) returns uuid  -- a5c50a8df5d6; execute: public
function headrace.enqueue(definition text, payload jsonb DEFAULT '{}'::jsonb, tenant text DEFAULT 'default'::text, queue text DEFAULT NULL::text, priority integer DEFAULT NULL::integer, scheduled_for timestamp with time zone DEFAULT NULL::timestamp with time zone, dedupe_key text DEFAULT NULL::text, idempotency_key text DEFAULT NULL::text, correlation_id text DEFAULT NULL::text, max_attempts integer DEFAULT NULL::integer, dedupe_while text DEFAULT 'live'::text, source text DEFAULT 'sql'::text, source_ref uuid DEFAULT NULL::uuid, created_by text DEFAULT NULL::text) returns uuid  -- 5b635f5e0da3; execute: public
function headrace.enqueue_many(definition text, payloads jsonb[], tenant text DEFAULT 'default'::text, queue text DEFAULT NULL::text, priority integer DEFAULT NULL::integer, scheduled_for timestamp with time zone DEFAULT NULL::timestamp with time zone, dedupe_keys text[] DEFAULT NULL::text[], idempotency_keys text[] DEFAULT NULL::text[], correlation_id text DEFAULT NULL::text, max_attempts integer DEFAULT NULL::integer, dedupe_while text DEFAULT 'live'::text, source text DEFAULT 'sql'::text, source_ref uuid DEFAULT NULL::uuid, created_by text DEFAULT NULL::text) returns SETOF uuid  -- 24d81ab8b273; execute: public
function headrace.gate_facts(wanted uuid, OUT max_concurrency integer, OUT running integer, OUT max_running_of_key integer, OUT running_of_key integer, OUT max_running_of_tenant integer, OUT running_of_tenant integer, OUT max_running_of_queue integer, OUT running_of_queue integer, OUT opens_in double precision) returns record security definer set search_path=pg_catalog, pg_temp  -- 9f4fd93390b2; execute: headrace_server, headrace_tenant
function headrace.histogram_bounds() returns double precision[]  -- 3fa9cbcbfc0d; execute: public
function headrace.jobs_ahead(job_id uuid, at_most integer) returns integer security definer set search_path=pg_catalog, pg_temp  -- a1dfd83b53a5; execute: headrace_server, headrace_tenant
function headrace.own_live(from_id uuid, before_id uuid, among integer, running boolean) returns TABLE(job_id uuid, status headrace.job_status, lane_id integer) security definer set search_path=pg_catalog, pg_temp  -- cf2c9d613820; execute: headrace_tenant
function headrace.own_live_end(from_id uuid, before_id uuid, among integer, running boolean) returns uuid security definer set search_path=pg_catalog, pg_temp  -- e6e81983fea7; execute: headrace_tenant
function headrace.retry(job_id uuid) returns boolean  -- 7e00c179509e; execute: public
function headrace.schedule(name text, definition text, cron text DEFAULT NULL::text, timezone text DEFAULT 'UTC'::text, payload jsonb DEFAULT '{}'::jsonb, tenant text DEFAULT 'default'::text, every interval DEFAULT NULL::interval, catch_up text DEFAULT 'latest'::text, overlap text DEFAULT 'allow'::text, max_attempts integer DEFAULT NULL::integer, enabled boolean DEFAULT NULL::boolean) returns uuid  -- 637f586bd7ec; execute: public
function headrace.search_log(query text, tenant text, definition text, job_id uuid, level integer, since timestamp with time zone, until timestamp with time zone, max_hits integer, INOUT before_at timestamp with time zone, INOUT before_job_id uuid, INOUT before_run integer, INOUT before_seq integer, OUT hits jsonb, OUT complete boolean) returns record security definer set search_path=pg_catalog, pg_temp set enable_seqscan=off set enable_indexscan=on set enable_bitmapscan=on set max_parallel_workers_per_gather=0 set work_mem=64MB set client_min_messages=error  -- 13e500e5efb7; execute: headrace_server
function headrace.search_own_log(query text, definition text, job_id uuid, level integer, since timestamp with time zone, until timestamp with time zone, max_hits integer, INOUT before_at timestamp with time zone, INOUT before_job_id uuid, INOUT before_run integer, INOUT before_seq integer, OUT hits jsonb, OUT complete boolean) returns record security definer set search_path=pg_catalog, pg_temp  -- 20879c86794a; execute: headrace_tenant
aggregate headrace.sum_buckets(anyarray) returns bigint[]  -- 47a318ba1be0; execute: public
function headrace.trigger(name text, tenant text DEFAULT 'default'::text) returns jsonb  -- 3c0eafc67a4c; execute: public
function headrace.unbind_login(login text) returns boolean  -- ecdc3baf55eb; execute: public
function headrace.undefine_sql_job(key text) returns boolean  -- f57a2875595b; execute: public
function headrace.unschedule(name text, tenant text DEFAULT 'default'::text) returns boolean  -- eb0a088a6e14; execute: public
