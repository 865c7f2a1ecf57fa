-- Lets jobs through their gates, for a worker that is live at this moment. What runs is counted from the queue itself, so
-- nothing has to be given back: a job that ends, or is rescued, no longer counts. One caller at a time, and a statement of
-- its own after the lock, so that it sees what the caller before it has claimed.
--
--   served   the worker's lanes with the room that their definition and their queue have, and the tenants that may run it
--   groups   (lane, tenant, gate) in which jobs wait: a loose walk over the index, past tenants that are full or may not run
--            the definition; where there are very many, the first ones and as many from a random place
--   heads    the first few of each group that has room
--   ranked   in the order they should start: priority, then fair shares where the queue is shared fairly, then age
--   within   of these only as many as the key, the tenant, the definition and the queue have room for
-- The last row may have no job but the seconds until a rate limit lets the next one through.
create or replace function headrace._claim_gated(for_worker_id bigint, of_lanes int[], wanted int, most_suspects int, up_to_priority int)
returns table (job_id uuid, run int, spent smallint, max_attempts smallint, lane_id int, tenant_id int, suspect boolean,
               opens_in double precision)
-- Planned once: a plan takes longer to make than to follow, and this one is by indexes whatever there is in the tables.
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  most_groups constant int := 1000;
  full_tenants int[];
  counting boolean;
  limiting boolean;
begin
  return query select a.*, null::float8 from headrace._claim_alone(for_worker_id, of_lanes, wanted, up_to_priority) as a;
  if found then
    return;
  end if;
  lock table headrace.gate_turn in share update exclusive mode;
  -- Where nothing is limited but the order, no running job is counted.
  counting := exists (select from headrace.tenant as t where t.max_running is not null)
           or exists (select from headrace.lane as l
                        join headrace.definition as d on d.id = l.definition_id
                        left join headrace.queue_setting as s on s.queue = l.queue
                       where l.id = any(of_lanes)
                         and num_nonnulls(d.max_concurrency, d.max_concurrency_per_key, s.max_running) > 0);
  limiting := counting or exists (select from headrace.lane as l join headrace.definition as d on d.id = l.definition_id
                                   where l.id = any(of_lanes) and d.rate_limit is not null);
  full_tenants := array(
    select q.tenant_id from headrace.queue as q join headrace.tenant as t on t.id = q.tenant_id
     where counting and q.status = 'running' and q.gate is not null and t.max_running is not null
     group by q.tenant_id, t.max_running having count(*) >= t.max_running
    union all
    select p.tenant_id from headrace.tenant_pause as p where p.resume_at is null or p.resume_at > clock_timestamp()
    union all
    select r.tenant_id from headrace.regate as r where r.tenant_id is not null and not r.swept);
  return query
  with recursive now as materialized (
    -- Asked after the snapshot was taken: a job that made room had ended by then.
    select clock_timestamp() as moment
  ), me as materialized (
    select w.id from headrace.worker as w where w.id = for_worker_id and w.state = 'live' and not w.draining for key share
  ), busy as materialized (
    select l.definition_id, l.queue, r.tenant_id, r.gate, r.n
      from (select q.lane_id, q.tenant_id, q.gate, count(*) as n from headrace.queue as q
             where counting and q.status = 'running' and q.gate is not null group by q.lane_id, q.tenant_id, q.gate) as r
      join headrace.lane as l on l.id = r.lane_id
  ), served as materialized (
    select l.id, l.queue, l.definition_id, s.fair is true as fair, d.max_concurrency_per_key as per_key, d.rate_per_key,
           case when d.tenants is not null then array(select t.id from headrace.tenant as t where t.name = any(d.tenants)) end as allowed,
           d.rate_limit / d.rate_period_seconds as a_second, coalesce(d.rate_burst, d.rate_limit) as burst,
           d.max_concurrency - (select coalesce(sum(b.n), 0) from busy as b where b.definition_id = d.id) as definition_room,
           s.max_running - (select coalesce(sum(b.n), 0) from busy as b where b.queue = l.queue) as queue_room,
           case when d.rate_limit is not null and not d.rate_per_key
                then headrace._tokens(coalesce(d.rate_burst, d.rate_limit), d.rate_limit / d.rate_period_seconds, t.tokens, t.at, (select moment from now))
           end as tokens
      from unnest(of_lanes) as asked
      join headrace.lane as l on l.id = asked
      join headrace.definition as d on d.id = l.definition_id
      left join headrace.queue_setting as s on s.queue = l.queue
      left join headrace.rate_bucket as t on t.definition_id = d.id and t.tenant_id = 0 and t.gate = 0
     where exists (select from me)
       and not exists (select from headrace.regate as g where not g.swept and (g.definition_id = d.id or g.queue = l.queue))
  ), groups as (
    select s.id as lane_id, s.allowed, g.tenant_id, g.gate, 1 as step
      from served as s
     cross join lateral (select q.tenant_id, q.gate from headrace.queue as q
                          where q.lane_id = s.id and q.status = 'queued' and q.gate is not null
                          order by q.tenant_id, q.gate limit 1) as g
     where coalesce(least(s.definition_room, s.queue_room, floor(s.tokens)), 1) > 0
    union all
    select groups.lane_id, groups.allowed, g.tenant_id, g.gate, groups.step + 1
      from groups
     cross join lateral (select q.tenant_id, q.gate from headrace.queue as q
                          where q.lane_id = groups.lane_id and q.status = 'queued' and q.gate is not null
                            and (q.tenant_id, q.gate) > (groups.tenant_id, case when groups.tenant_id = any(full_tenants)
                                                                                 or groups.tenant_id <> all(groups.allowed)
                                                                               then 9223372036854775807 else groups.gate end)
                          order by q.tenant_id, q.gate limit 1) as g
     where groups.step < most_groups
  ), more as (
    select last.lane_id, last.allowed, g.tenant_id, g.gate, 1 as step
      from groups as last
     cross join lateral (select max(q.tenant_id) as largest from headrace.queue as q
                          where q.lane_id = last.lane_id and q.status = 'queued' and q.gate is not null) as t
     cross join lateral (select q.tenant_id, q.gate from headrace.queue as q
                          where q.lane_id = last.lane_id and q.status = 'queued' and q.gate is not null
                            and (q.tenant_id, q.gate) > (last.tenant_id + floor(random() * (t.largest - last.tenant_id + 1))::int,
                                                         (random() * 18446744073709551615 - 9223372036854775808)::bigint)
                          order by q.tenant_id, q.gate limit 1) as g
     where last.step = most_groups
    union all
    select more.lane_id, more.allowed, g.tenant_id, g.gate, more.step + 1
      from more
     cross join lateral (select q.tenant_id, q.gate from headrace.queue as q
                          where q.lane_id = more.lane_id and q.status = 'queued' and q.gate is not null
                            and (q.tenant_id, q.gate) > (more.tenant_id, case when more.tenant_id = any(full_tenants)
                                                                               or more.tenant_id <> all(more.allowed)
                                                                             then 9223372036854775807 else more.gate end)
                          order by q.tenant_id, q.gate limit 1) as g
     where more.step < most_groups
  ), open as materialized (
    select g.*, s.queue, s.definition_id, s.fair, s.definition_room, s.queue_room, s.tokens, t.weight,
           t.max_running - (select coalesce(sum(b.n), 0) from busy as b where b.tenant_id = g.tenant_id) as tenant_room,
           s.per_key - (select coalesce(sum(b.n), 0) from busy as b
             where b.definition_id = s.definition_id and b.tenant_id = g.tenant_id and b.gate = g.gate) as key_room,
           case when s.rate_per_key then headrace._tokens(s.burst, s.a_second, k.tokens, k.at, (select moment from now)) end as key_tokens
      from (select groups.lane_id, groups.tenant_id, groups.gate from groups
             union select more.lane_id, more.tenant_id, more.gate from more) as g
      join served as s on s.id = g.lane_id
      join headrace.tenant as t on t.id = g.tenant_id
      left join headrace.rate_bucket as k on k.definition_id = s.definition_id and k.tenant_id = g.tenant_id and k.gate = g.gate
     where g.tenant_id <> all(full_tenants) and coalesce(g.tenant_id = any(s.allowed), true)
  ), heads as (
    select o.*, h.job_id, h.priority, h.seq, h.suspect
      from open as o
     cross join lateral (select q.job_id, q.priority, q.seq, q.suspect from headrace.queue as q
                          where q.lane_id = o.lane_id and q.tenant_id = o.tenant_id and q.gate = o.gate and q.status = 'queued'
                            and q.gate is not null and q.priority <= up_to_priority
                          order by q.priority, q.seq
                          limit least(wanted, greatest(2, 2 * wanted / (select count(*) from open)),
                                      case when o.key_room < 0 then 0 else o.key_room end, floor(o.key_tokens))) as h
  ), tagged as (
    select h.*, case when h.fair then greatest(mine.had, clock.had, 0)
                     + (row_number() over (partition by h.queue, h.tenant_id order by h.priority, h.seq) - 1)::float8 / h.weight end as tag
      from heads as h
      left join headrace.queue_share as mine on h.fair and mine.queue = h.queue and mine.tenant_id = h.tenant_id
      left join headrace.queue_share as clock on h.fair and clock.queue = h.queue and clock.tenant_id = 0
  ), placed as (
    select t.*, row_number() over (partition by t.queue order by t.priority, t.tag, t.seq) as place from tagged as t
  ), ranked as materialized (
    select p.*, row_number() over (order by p.priority, p.place, p.seq) as rank from placed as p
  ), within_key as (
    select *, row_number() over (partition by definition_id, tenant_id, gate order by rank) as nth from ranked
     where limiting
  ), within_tenant as (
    select *, row_number() over (partition by tenant_id order by rank) as nth_of_tenant from within_key
     where nth <= coalesce(least(key_room, floor(key_tokens)), wanted)
  ), within_definition as (
    select *, row_number() over (partition by definition_id order by rank) as nth_of_definition from within_tenant
     where nth_of_tenant <= coalesce(tenant_room, wanted)
  ), within_queue as (
    select *, row_number() over (partition by queue order by rank) as nth_of_queue,
           row_number() over (partition by suspect order by rank) as nth_suspect
      from within_definition
     where nth_of_definition <= coalesce(least(definition_room, floor(tokens)), wanted)
  ), chosen as materialized (
    select rank, job_id, queue, definition_id, gate, fair, weight, tag from within_queue
     where nth_of_queue <= coalesce(queue_room, wanted) and (not suspect or nth_suspect <= most_suspects)
    union all
    select rank, job_id, queue, definition_id, gate, fair, weight, tag from ranked
     where not limiting
       and (not suspect or rank = any(array(select r.rank from ranked as r where r.suspect order by r.rank limit most_suspects)))
    order by rank limit wanted
  ), locked as materialized (
    select q.job_id from headrace.queue as q
     where q.job_id = any(array(select c.job_id from chosen as c)) and q.status = 'queued' for update skip locked
  ), claimed as (
    update headrace.queue as q
       set status = 'running', worker_id = for_worker_id, run = q.run + 1, claimed_at = (select moment from now),
           dedupe_key = case when q.dedupe_waiting then null else q.dedupe_key end
     where q.job_id = any(array(select k.job_id from locked as k))
    returning q.job_id, q.run, q.spent, q.max_attempts, q.lane_id, q.tenant_id, q.suspect
  ), taken as materialized (
    select c.rank, c.queue, c.definition_id, c.gate, c.fair, c.weight, c.tag, k.* from claimed as k join chosen as c using (job_id)
  ), used as (
    select b.definition_id, b.tenant_id, b.gate, b.held - b.n as tokens
      from (select t.definition_id, 0 as tenant_id, 0::bigint as gate, count(*) as n, min(s.tokens) as held
              from taken as t join served as s on s.id = t.lane_id where s.tokens is not null group by t.definition_id
             union all
            select t.definition_id, t.tenant_id, t.gate, count(*), min(o.key_tokens)
              from taken as t join open as o on (o.lane_id, o.tenant_id, o.gate) = (t.lane_id, t.tenant_id, t.gate)
             where o.key_tokens is not null group by t.definition_id, t.tenant_id, t.gate) as b
  ), paid as (
    insert into headrace.rate_bucket as r (definition_id, tenant_id, gate, tokens, at)
    select u.definition_id, u.tenant_id, u.gate, u.tokens, now.moment from used as u, now
    on conflict (definition_id, tenant_id, gate) do update set tokens = excluded.tokens, at = excluded.at
  ), shared as (
    insert into headrace.queue_share as r (queue, tenant_id, had)
    select t.queue, t.tenant_id, max(t.tag) + 1.0 / min(t.weight) from taken as t where t.fair group by t.queue, t.tenant_id
     union all
    select t.queue, 0, max(t.tag) from taken as t where t.fair group by t.queue
    on conflict (queue, tenant_id) do update set had = greatest(r.had, excluded.had)
  ), closed as (
    -- Seconds until there is a whole token again, where jobs wait for one.
    select (1 - coalesce(u.tokens, s.tokens)) / s.a_second as seconds
      from served as s left join used as u on u.definition_id = s.definition_id and u.tenant_id = 0
     where coalesce(u.tokens, s.tokens) < 1
       and exists (select from headrace.queue as q where q.lane_id = s.id and q.status = 'queued' and q.gate is not null)
     union all
    select (1 - coalesce(u.tokens, o.key_tokens)) / s.a_second
      from open as o join served as s on s.id = o.lane_id
      left join used as u on (u.definition_id, u.tenant_id, u.gate) = (o.definition_id, o.tenant_id, o.gate)
     where coalesce(u.tokens, o.key_tokens) < 1
  )
  select * from (
    select t.job_id, t.run, t.spent, t.max_attempts, t.lane_id, t.tenant_id, t.suspect, null::float8 from taken as t order by t.rank) as jobs
  union all
  select null, null, null, null, null, null, null, min(c.seconds) from closed as c having min(c.seconds) is not null;
end $$;
