-- A bucket that is not there counts as a full one.
-- name: forget_full_buckets
delete from headrace.rate_bucket as b
 using headrace.definition as d
 where d.id = b.definition_id
   and (d.rate_limit is null
        or headrace._tokens(coalesce(d.rate_burst, d.rate_limit), d.rate_limit / d.rate_period_seconds, b.tokens, b.at, now())
           >= coalesce(d.rate_burst, d.rate_limit))

-- Whoever has no share begins at the queue's clock, which tenant 0 stands for.
-- name: forget_overtaken_shares
delete from headrace.queue_share as s
 using headrace.queue_share as clock
 where clock.queue = s.queue and clock.tenant_id = 0 and s.tenant_id <> 0 and s.had <= clock.had

-- All jobs of a lane were made before it was seen unused, so their history is gone when the oldest week begins later. A day more,
-- for an id is made a moment before its job comes.
-- part: forgettable
unused_since < (select min(lower_bound) from headrace.partition) - interval '1 day'

-- name: any_forgettable
select exists (select from headrace.lane where
  -- include: forgettable
)

-- name: wait_briefly
set local lock_timeout = '200ms'

-- Whoever enqueues has read the table, and holds a lock of it until the job is there for others to see: with this lock there is no
-- such transaction. Taken once in the life of a lane, and for a moment.
-- name: lock_lanes
lock table headrace.lane in access exclusive mode

-- name: forget_lanes
with gone as (
  delete from headrace.lane
   where not exists (select from headrace.queue where lane_id = lane.id)
     and not exists (select from headrace.rollup_delta where lane_id = lane.id)
     and
  -- include: forgettable
  returning 1
)
select count(*) from gone
