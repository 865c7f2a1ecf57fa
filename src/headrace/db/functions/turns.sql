-- What rate limits and turns note, and a claim where turns need not be found.

-- How many tokens a bucket holds at a moment: it fills steadily, up to the burst.
create or replace function headrace._tokens(
  burst int, a_second double precision, held double precision, since timestamptz, moment timestamptz
) returns double precision language sql immutable as $$
  select least(burst, coalesce(held + greatest(0, extract(epoch from moment - since))::float8 * a_second, burst))
$$;

-- Where nothing is limited and one tenant alone waits, a fair queue is like any other: priority, then age, and no turns.
-- Gives nothing where that is not so. The queue's clock stands still meanwhile; that the tenant is one turn ahead of it is
-- noted once, so that the next tenant gets the next place.
create or replace function headrace._claim_alone(for_worker_id bigint, of_lanes int[], wanted int, up_to_priority int)
returns table (job_id uuid, run int, spent smallint, max_attempts smallint, lane_id int, tenant_id int, suspect boolean)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  most_lanes constant int := 8;
  who int;
  lanes int[];
  gates bigint[];
begin
  select min(first.tenant_id), array_agg(asked.lane_id), array_agg(first.gate) into who, lanes, gates
    from unnest(of_lanes) as asked (lane_id)
   cross join lateral (select q.tenant_id, q.gate from headrace.queue as q
                        where q.lane_id = asked.lane_id and q.status = 'queued' and q.gate is not null
                        order by q.tenant_id, q.gate limit 1) as first
   cross join lateral (select q.tenant_id, q.gate from headrace.queue as q
                        where q.lane_id = asked.lane_id and q.status = 'queued' and q.gate is not null
                        order by q.tenant_id desc, q.gate desc limit 1) as last
  having min(first.tenant_id) = max(last.tenant_id) and bool_and(first.gate = last.gate) and count(*) <= most_lanes;
  if who is null then
    return;
  end if;
  return query
  with me as materialized (
    select w.id from headrace.worker as w
     where w.id = for_worker_id and w.state = 'live' and not w.draining
       and not exists (select from headrace.regate)
       and not exists (select from headrace.tenant as t where t.max_running is not null)
       and not exists (select from headrace.tenant_pause as p where p.tenant_id = who)
       and not exists (select from headrace.queue as q where q.lane_id = any(lanes) and q.status = 'queued' and q.suspect)
       and not exists (select from headrace.lane as l
                         join headrace.definition as d on d.id = l.definition_id
                         left join headrace.queue_setting as s on s.queue = l.queue
                        where l.id = any(lanes) and (d.limited or s.max_running is not null))
       for key share
  ), of_one_lane as materialized (
    select q.job_id from headrace.queue as q
     where cardinality(lanes) = 1 and exists (select from me)
       and q.lane_id = lanes[1] and q.tenant_id = who and q.gate = gates[1] and q.status = 'queued' and q.gate is not null
       and q.priority <= up_to_priority
     order by q.priority, q.seq limit wanted for update skip locked
  ), of_several as materialized (
    select head.job_id from unnest(lanes, gates) as g (lane_id, gate)
     cross join lateral (
       select q.job_id, q.priority, q.seq from headrace.queue as q
        where q.lane_id = g.lane_id and q.tenant_id = who and q.gate = g.gate and q.status = 'queued' and q.gate is not null
          and q.priority <= up_to_priority
        order by q.priority, q.seq limit wanted) as head
     where cardinality(lanes) > 1 and exists (select from me)
     order by head.priority, head.seq limit wanted
  ), locked as materialized (
    select q.job_id from headrace.queue as q
     where q.job_id = any(array(select s.job_id from of_several as s)) and q.status = 'queued' for update skip locked
  ), claimed as (
    update headrace.queue as q
       set status = 'running', worker_id = for_worker_id, run = q.run + 1, claimed_at = clock_timestamp(),
           dedupe_key = case when q.dedupe_waiting then null else q.dedupe_key end
     where q.job_id = any(array(select o.job_id from of_one_lane as o union all select k.job_id from locked as k))
    returning q.job_id, q.run, q.spent, q.max_attempts, q.lane_id, q.tenant_id, q.suspect, q.priority, q.seq
  ), shared as (
    insert into headrace.queue_share as r (queue, tenant_id, had)
    select s.queue, turn.tenant_id, coalesce(clock.had, 0) + turn.ahead
      from headrace.queue_setting as s
     cross join lateral (select 0 as tenant_id, 0::float8 as ahead
                          union all select t.id, 1::float8 / t.weight from headrace.tenant as t where t.id = who) as turn
      left join headrace.queue_share as clock on clock.queue = s.queue and clock.tenant_id = 0
      left join headrace.queue_share as mine on mine.queue = s.queue and mine.tenant_id = who
     where s.queue = any(array(select l.queue from headrace.lane as l where l.id = any(lanes))) and s.fair
       and coalesce(mine.had <= coalesce(clock.had, 0), true) and exists (select from claimed)
    on conflict (queue, tenant_id) do update set had = greatest(r.had, excluded.had)
  )
  select c.job_id, c.run, c.spent, c.max_attempts, c.lane_id, c.tenant_id, c.suspect from claimed as c order by c.priority, c.seq;
end $$;
