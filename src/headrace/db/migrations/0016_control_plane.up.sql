-- Who may use the API and for whom, what they changed, and what they asked for in bulk.

-- A tenant's name is how it is addressed, its title what people read. A limit that is null is none.
alter table headrace.tenant
  add column title text not null default '',
  add column max_queued int check (max_queued > 0),
  add column max_payload_bytes int check (max_payload_bytes between 2 and 1048576),
  add column requests_per_minute int check (requests_per_minute > 0);

-- The token itself is shown once and never stored: 256 random bits need no salt and no slow hash.
create table headrace.token (
  id            uuid not null primary key default gen_random_uuid(),
  name          text not null check (length(name) between 1 and 200),
  hash          bytea not null unique check (length(hash) = 32),
  role          text not null check (role in ('super_admin', 'tenant_admin', 'tenant_viewer', 'worker')),
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

-- Every change by a person or a program, written in the change's own transaction. Insert-only.
create table headrace.audit (
  id         bigint generated always as identity primary key,
  at         timestamptz not null default now(),
  who        text not null,
  role       text not null,
  verb       text not null,
  tenant_id  int,
  target     text,
  detail     jsonb not null default '{}'
);
create index audit_tenant on headrace.audit (tenant_id, id desc);
create index audit_target on headrace.audit (target, id desc);

-- A change to many jobs, made in batches by whichever process comes first. "position" is the last job looked at.
create table headrace.operation (
  id           uuid not null primary key default gen_random_uuid(),
  tenant_id    int references headrace.tenant (id),
  verb         text not null check (verb in ('cancel', 'retry', 'delete')),
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
  constraint ended_means_finished check ((state = 'running') = (finished_at is null))
);
create index operation_running on headrace.operation (created_at) where state = 'running';
create index operation_tenant on headrace.operation (tenant_id, created_at desc);

-- True when it was changed; false when it is not in a state for that. Without an error, so that a batch goes on.
create function headrace._change_one(verb text, wanted uuid) returns boolean language plpgsql as $$
begin
  case verb
    when 'cancel' then return headrace.cancel(wanted);
    when 'retry' then return headrace.retry(wanted);
    when 'delete' then return headrace._delete_job(wanted);
  end case;
exception when sqlstate 'HR400' or sqlstate 'HR404' or sqlstate 'HR409' then
  return false;
end $$;

-- True when there was a job that has ended and there is no more: neither its record nor its attempts, lines and keys.
create function headrace._delete_job(wanted uuid) returns boolean language plpgsql as $$
begin
  -- A retry locks the same row first: whoever comes second finds nothing.
  perform from headrace.attempt where job_id = wanted and final is not null for update;
  if not found then
    return false;
  end if;
  delete from headrace.attempt where job_id = wanted;
  delete from headrace.idempotency using headrace.job
   where job.id = wanted and idempotency.tenant_id = job.tenant_id and idempotency.key = job.idempotency_key
     and idempotency.job_id = wanted;
  delete from headrace.job where id = wanted;
  delete from headrace.progress where job_id = wanted;
  delete from headrace.log where job_id = wanted;
  return true;
end $$;

-- Lists go by one of these, newest first, and never read more of history than a page.
create index job_tenant on headrace.job (tenant_id, id desc);
create index job_definition on headrace.job (definition_id, id desc);
create index job_source on headrace.job (source_ref, id desc) where source_ref is not null;
create index job_correlation on headrace.job (correlation_id, id desc) where correlation_id is not null;

-- One for each final status: under row-level security a comparison of enums may not be an index condition, for it is not
-- leakproof, but the predicate of a partial index may stand for it.
drop index headrace.attempt_final;
create index attempt_succeeded on headrace.attempt (tenant_id, job_id desc) where final = 'succeeded';
create index attempt_failed on headrace.attempt (tenant_id, job_id desc) where final = 'failed';
create index attempt_canceled on headrace.attempt (tenant_id, job_id desc) where final = 'canceled';
create index attempt_dead on headrace.attempt (tenant_id, job_id desc) where final = 'dead_letter';
