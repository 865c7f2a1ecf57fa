create or replace function headrace._system_tenant() returns int language sql stable parallel safe as $$
  select id from headrace.tenant where system
$$;

-- Live jobs of the tenant among the newest of all tenants, for there is no index of them by tenant; and where that ends.
create or replace function headrace.own_live(from_id uuid, before_id uuid, among int, running boolean)
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

create or replace function headrace.own_live_end(from_id uuid, before_id uuid, among int, running boolean) returns uuid
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select q.job_id from headrace.queue as q
   where not running and (before_id is null or q.job_id < before_id) and (from_id is null or q.job_id >= from_id)
   order by q.job_id desc offset among - 1 limit 1
$$;
revoke all on function headrace.own_live, headrace.own_live_end from public;

-- How many jobs a worker would take before this one, of all tenants: the number says nothing of what they are.
create or replace function headrace.jobs_ahead(job_id uuid, at_most int) returns int
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
create or replace function headrace._grant_to_tenants() returns void language plpgsql as $$
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

-- What each part of the schema gives the tenants' role stands in a function of its own, and all of them are called.
create or replace function headrace._grant_limits_to_tenants() returns void language plpgsql as $$
begin
  grant select on headrace.queue_setting, headrace.definition_pause, headrace.tenant_pause to headrace_tenant;
  -- To lock the own row, which an enqueue of a tenant with a quota does. The column is generated and cannot be written.
  grant update (id) on headrace.tenant to headrace_tenant;
end $$;

create or replace function headrace._grant_gates_to_tenants() returns void language plpgsql as $$
begin
  grant execute on function headrace.gate_facts to headrace_tenant;
end $$;

create or replace function headrace._grant_alerts_to_tenants() returns void language plpgsql as $$
begin
  grant select, insert, update, delete on headrace.alert_rule, headrace.alert_target to headrace_tenant;
  grant select, update on headrace.alert to headrace_tenant;
  grant select, insert on headrace.alert_notice to headrace_tenant;
  grant select on headrace.alert_delivery to headrace_tenant;
  grant execute on function headrace._send_notice to headrace_tenant;
end $$;

create or replace function headrace._grant_event_keys_to_tenants() returns void language plpgsql as $$
begin
  grant select on headrace.event_fires to headrace_tenant;
  grant select, insert, update on headrace.event_key to headrace_tenant;
end $$;

create or replace function headrace._grant_versions_to_tenants() returns void language plpgsql as $$
begin
  grant select (schemas) on headrace.worker to headrace_tenant;
end $$;

create or replace function headrace._grant_all_to_tenants() returns void language plpgsql as $$
declare name text;
begin
  for name in select proname from pg_proc where pronamespace = 'headrace'::regnamespace
                 and proname ~ '^_grant_([a-z_]+_)?to_tenants$' and proname <> '_grant_all_to_tenants' order by proname loop
    execute format('select headrace.%I()', name);
  end loop;
end $$;

-- The role belongs to the whole server, and not every owner may make one: true when it is there and we may act as it.
-- A migration calls this, and so does every process that serves tenants, for an administrator may have made the role later.
create or replace function headrace._ensure_tenant_role() returns boolean language plpgsql as $$
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
    perform headrace._grant_all_to_tenants();
  end if;
  return true;
end $$;
