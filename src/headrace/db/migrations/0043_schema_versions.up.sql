-- A payload that does not fit what a worker's code declares is not the job's fault: a worker of another version may read it.

-- Which version of the payload's schema code declared last, and which ones each worker's code has, by the key of the definition.
alter table headrace.definition add column schema_version text;
alter table headrace.worker add column schemas jsonb not null default '{}';

-- When a worker first gave the job back because it could not read it; null for nearly every job.
alter table headrace.queue add column unreadable_since timestamptz;
create index queue_unreadable on headrace.queue (lane_id) where unreadable_since is not null;

-- Definitions of which a worker lately met a payload that it could not read: it leaves them to workers of other versions.
create table headrace.misfit (
  worker_id      bigint not null references headrace.worker (id) on delete cascade,
  definition_id  int not null references headrace.definition (id) on delete cascade,
  at             timestamptz not null default now(),
  primary key (worker_id, definition_id)
);
create index misfit_definition on headrace.misfit (definition_id);

create function headrace._grant_versions_to_tenants() returns void language plpgsql as $$
begin
  grant select (schemas) on headrace.worker to headrace_tenant;
end $$;
do $$
begin
  if exists (select from pg_roles where rolname = 'headrace_tenant') then
    perform headrace._grant_versions_to_tenants();
  end if;
exception when insufficient_privilege then
  raise notice 'the role headrace_tenant could not be given its rights';
end $$;
