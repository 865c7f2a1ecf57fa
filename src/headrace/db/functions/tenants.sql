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
