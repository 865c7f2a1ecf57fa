-- The second wall between tenants. Requests for one tenant run under the role headrace_tenant, which owns nothing, with
-- headrace.tenant_id set for the transaction; without it they see nothing. The owner, and so the engine, is not held up.

create function headrace._current_tenant() returns int language sql stable parallel safe as $$
  select nullif(current_setting('headrace.tenant_id', true), '')::int
$$;

do $$
declare
  name text;
begin
  foreach name in array array['job', 'queue', 'attempt', 'idempotency', 'log', 'trigger', 'deleted_trigger', 'event', 'audit',
                              'operation', 'rollup', 'rollup_hour', 'rollup_total', 'queue_sample'] loop
    execute format('alter table headrace.%I enable row level security', name);
    -- In a sub-select, so that it is asked once and not for every row.
    execute format('create policy own on headrace.%I using (tenant_id = (select headrace._current_tenant()))', name);
  end loop;
  -- These know their tenant by the job or trigger they belong to, and their policies by what may be seen of that.
  foreach name in array array['progress', 'waiter'] loop
    execute format('alter table headrace.%I enable row level security', name);
    execute format('create policy own on headrace.%I using (exists (select from headrace.job where job.id = job_id))', name);
  end loop;
  foreach name in array array['fire', 'fired_once', 'dedupe', 'delivery'] loop
    execute format('alter table headrace.%I enable row level security', name);
    execute format('create policy own on headrace.%I using (exists (select from headrace.trigger where trigger.id = trigger_id)
                    or exists (select from headrace.deleted_trigger where deleted_trigger.id = trigger_id))', name);
  end loop;
end $$;
alter table headrace.tenant enable row level security;
create policy own on headrace.tenant using (id = (select headrace._current_tenant()));

-- Views look with the eyes of who asks.
alter view headrace.jobs set (security_invoker = true);
alter view headrace.queue_depth set (security_invoker = true);

-- Searches are made by the owner, for partitions are read by name; for one tenant only through this door.
create function headrace.search_own_log(
  query text, definition text, job_id uuid, level int, since timestamptz, until timestamptz, max_hits int,
  inout before_at timestamptz, inout before_job_id uuid, inout before_run int, inout before_seq int,
  out hits jsonb, out complete boolean
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  own constant text := (select name from headrace.tenant where id = headrace._current_tenant());
  found record;
begin
  if own is null then
    raise exception 'no tenant is set' using errcode = 'HR404';
  end if;
  found := headrace.search_log(query, own, definition, job_id, level, since, until, max_hits,
                               before_at, before_job_id, before_run, before_seq);
  hits := found.hits; complete := found.complete; before_at := found.before_at; before_job_id := found.before_job_id;
  before_run := found.before_run; before_seq := found.before_seq;
end $$;
revoke all on function headrace.search_own_log from public;

-- Live jobs of the tenant among the newest so many of all, for there is no index of them by tenant; and where that ends.
create function headrace.own_live(from_id uuid, before_id uuid, among int, running boolean)
returns table (job_id uuid, status headrace.job_status, lane_id int)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if running then
    return query select q.job_id, q.status, q.lane_id from headrace.queue as q
      where q.status = 'running' and q.tenant_id = headrace._current_tenant()
        and (before_id is null or q.job_id < before_id) and (from_id is null or q.job_id >= from_id)
      order by q.job_id desc;
  else
    return query select newest.job_id, newest.status, newest.lane_id
      from (select * from headrace.queue as q
             where (before_id is null or q.job_id < before_id) and (from_id is null or q.job_id >= from_id)
             order by q.job_id desc limit among) as newest
     where newest.tenant_id = headrace._current_tenant();
  end if;
end $$;
create function headrace.own_live_end(from_id uuid, before_id uuid, among int, running boolean) returns uuid
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select q.job_id from headrace.queue as q
   where not running and (before_id is null or q.job_id < before_id) and (from_id is null or q.job_id >= from_id)
   order by q.job_id desc offset among - 1 limit 1
$$;
revoke all on function headrace.own_live, headrace.own_live_end from public;

-- How many jobs a worker would take before this one, whosever they are: a number tells nobody what they are.
create function headrace.jobs_ahead(job_id uuid, at_most int) returns int
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select count(*)::int
    from (select from headrace.queue as mine
            join headrace.lane on lane.id = mine.lane_id
            join headrace.lane as near on near.queue = lane.queue
            join headrace.queue as other on other.lane_id = near.id
           where mine.job_id = jobs_ahead.job_id and mine.status = 'queued' and other.status = 'queued' and not other.suspect
             and (other.priority, other.seq) < (mine.priority, mine.seq)
             and (headrace._current_tenant() is null or mine.tenant_id = headrace._current_tenant())
           limit at_most) as ahead
$$;
revoke all on function headrace.jobs_ahead from public;

-- What the role may do, table by table; nothing on partitions, whose policies would not be asked.
create function headrace._grant_to_tenants() returns void language plpgsql as $$
begin
  grant usage on schema headrace to headrace_tenant;
  grant select on headrace.tenant, headrace.definition, headrace.lane, headrace.partition, headrace.log_partition,
    headrace.deleted_trigger, headrace.event_watch, headrace.rollup, headrace.rollup_hour, headrace.rollup_total, headrace.queue_sample,
    headrace.rollup_turn, headrace.jobs, headrace.queue_depth
    to headrace_tenant;
  grant select (id, name, state, armed, queues, definitions, concurrency, running, lease_expires_at, heartbeat_at)
    on headrace.worker to headrace_tenant;
  grant select, insert on headrace.job, headrace.event, headrace.audit, headrace.operation to headrace_tenant;
  grant select on headrace.log, headrace.progress to headrace_tenant;
  grant insert on headrace.lane, headrace.event_inbox, headrace.rollup_delta, headrace.deleted_trigger to headrace_tenant;
  grant select, insert, update on headrace.attempt, headrace.idempotency, headrace.operation to headrace_tenant;
  grant select, insert, update, delete on headrace.queue, headrace.trigger, headrace.waiter to headrace_tenant;
  grant select, insert, update on headrace.fire, headrace.fired_once, headrace.dedupe, headrace.delivery to headrace_tenant;
  grant usage on sequence headrace.queue_seq to headrace_tenant;
  if to_regclass('headrace.queue_pause') is not null then
    grant select on headrace.queue_pause to headrace_tenant;
  end if;
  grant execute on function headrace.search_own_log, headrace.own_live, headrace.own_live_end, headrace.jobs_ahead
    to headrace_tenant;
end $$;

-- The role belongs to the whole server, and not everybody may make one: true when it is there and we may act as it.
-- Asked here, and again by every process that serves tenants, for an administrator may have made it later.
create function headrace._ensure_tenant_role() returns boolean language plpgsql as $$
begin
  begin
    create role headrace_tenant nologin;
  exception when duplicate_object or unique_violation or insufficient_privilege then
    if not exists (select from pg_roles where rolname = 'headrace_tenant') then
      return false;
    end if;
  end;
  if not pg_has_role(current_user, 'headrace_tenant', 'member') then
    begin
      execute format('grant headrace_tenant to %I', current_user);
    exception when insufficient_privilege then
      return false;
    end;
  end if;
  if not has_schema_privilege('headrace_tenant', 'headrace', 'usage') then
    perform headrace._grant_to_tenants();
  end if;
  return true;
end $$;

select headrace._ensure_tenant_role();
