create or replace function headrace._limits_changed() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'definition' then
    if not new.limited then
      delete from headrace.regate where definition_id = new.id;
    elsif not old.limited or new.concurrency_key is distinct from old.concurrency_key then
      insert into headrace.regate (definition_id) values (new.id);
    end if;
  elsif tg_table_name = 'queue_setting' then
    if not (new.fair or new.max_running is not null) then
      delete from headrace.regate where queue = new.queue;
    elsif tg_op = 'INSERT' or not (old.fair or old.max_running is not null) then
      insert into headrace.regate (queue) values (new.queue);
    end if;
  elsif tg_table_name = 'tenant_pause' then
    insert into headrace.regate (tenant_id) values (new.tenant_id);
  elsif new.max_running is not null and old.max_running is null then
    insert into headrace.regate (tenant_id) values (new.id);
  elsif new.max_running is null and not exists (select from headrace.tenant_pause where tenant_id = new.id) then
    delete from headrace.regate where tenant_id = new.id;
  end if;
  perform pg_notify('headrace', 'lanes');
  return null;
end $$;

create or replace function headrace._gated(of_lane_id int, of_tenant_id int) returns boolean language sql stable as $$
  select d.limited or s.fair is true or s.max_running is not null
         or exists (select from headrace.tenant where id = of_tenant_id and max_running is not null)
         or exists (select from headrace.tenant_pause where tenant_id = of_tenant_id)
    from headrace.lane as l
    join headrace.definition as d on d.id = l.definition_id
    left join headrace.queue_setting as s on s.queue = l.queue
   where l.id = of_lane_id
$$;

-- How full the places are that a job behind a gate waits for, over all tenants; for `why`. Null where there is no limit.
create or replace function headrace.gate_facts(wanted uuid, out max_concurrency int, out running int, out max_running_of_key int,
  out running_of_key int, out max_running_of_tenant int, out running_of_tenant int, out max_running_of_queue int,
  out running_of_queue int, out opens_in double precision)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with it as (
    select q.tenant_id, q.gate, l.queue, d.id, d.max_concurrency, d.max_concurrency_per_key, d.rate_limit, d.rate_period_seconds,
           d.rate_burst, d.rate_per_key, t.max_running, s.max_running as max_running_of_queue
      from headrace.queue as q
      join headrace.lane as l on l.id = q.lane_id
      join headrace.definition as d on d.id = l.definition_id
      join headrace.tenant as t on t.id = q.tenant_id
      left join headrace.queue_setting as s on s.queue = l.queue
     where q.job_id = wanted and q.gate is not null
       and (headrace._current_tenant() is null or q.tenant_id = headrace._current_tenant())
  ), busy as materialized (
    select r.tenant_id, r.gate, l.definition_id, l.queue, count(*)::int as n
      from headrace.queue as r join headrace.lane as l on l.id = r.lane_id
     where r.status = 'running' and r.gate is not null and exists (select from it)
     group by r.tenant_id, r.gate, l.definition_id, l.queue
  )
  select it.max_concurrency, (select coalesce(sum(n), 0)::int from busy where definition_id = it.id),
         it.max_concurrency_per_key, (select coalesce(sum(n), 0)::int from busy
                                       where definition_id = it.id and tenant_id = it.tenant_id and gate = it.gate),
         it.max_running, (select coalesce(sum(n), 0)::int from busy where tenant_id = it.tenant_id),
         it.max_running_of_queue, (select coalesce(sum(n), 0)::int from busy where queue = it.queue),
         (select greatest(0, 1 - headrace._tokens(coalesce(it.rate_burst, it.rate_limit), it.rate_limit / it.rate_period_seconds,
                                                  b.tokens, b.at, clock_timestamp())) * it.rate_period_seconds / it.rate_limit
            from headrace.rate_bucket as b
           where it.rate_limit is not null and b.definition_id = it.id
             and (b.tenant_id, b.gate) = (case when it.rate_per_key then it.tenant_id else 0 end,
                                          case when it.rate_per_key then it.gate else 0 end))
    from it
$$;
revoke all on function headrace.gate_facts from public;
