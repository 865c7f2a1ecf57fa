-- name: end_when_silent
set local idle_in_transaction_session_timeout = '2s'

-- name: lock_due
select id from headrace.trigger where enabled and fire_at <= now() order by fire_at limit $1 for no key update skip locked

-- name: lock_pending
select id
  from headrace.trigger as t
 where enabled and pending_due_at is not null and not exists (select from headrace.queue where queue.overlap_id = t.id)
 order by pending_due_at limit $1
   for no key update skip locked

-- Not what the rule says, which is known as a rule: a client that stops while it reads is not "idle", so what it reads
-- must fit its socket.
-- name: read_locked
select t.id, t.version, t.tenant_id, tenant.name as tenant, t.next_run_at,
       coalesce(t.enabled and t.fire_at <= now(), false) as due, t.pending_due_at, t.fires, t.effective_from, t.uncovered_from,
       t.uncovered_why, now() as now
  from headrace.trigger as t
  join headrace.tenant on tenant.id = t.tenant_id
 where t.id = any($1::uuid[])
 order by array_position($1::uuid[], t.id)

-- name: live_overlaps
select distinct overlap_id from headrace.queue where overlap_id = any($1::uuid[])

-- Triggers whose last n jobs have all failed. Those of before it was turned on do not count.
-- name: failing
select t.id
  from unnest($1::uuid[], $2::int[], $3::timestamptz[]) as t (id, n, since)
 where (select count(*) = t.n and bool_and(last.final in ('failed', 'dead_letter'))
          from (select ended.final
                  from headrace.fire as f
                  join lateral (select final from headrace.attempt as a where a.job_id = f.job_id and a.final is not null
                                 order by a.run desc limit 1) as ended on true
                 where f.trigger_id = t.id and f.outcome = 'fired' and f.at >= t.since
                 order by f.due_at desc limit t.n) as last)

-- name: fired_before
select trigger_id
  from headrace.fired_once join unnest($1::uuid[], $2::text[]) as asked (trigger_id, version) using (trigger_id, version)

-- name: remember_fired
insert into headrace.fired_once (trigger_id, version, job_id)
select * from unnest($1::uuid[], $2::text[], $3::uuid[])
on conflict do nothing

-- In the order of ids, as all who cancel.
-- name: cancel_live
select headrace.cancel(job_id)
  from (select job_id from headrace.queue where overlap_id = any($1::uuid[]) order by job_id) as live

-- name: write_fires
insert into headrace.fire (trigger_id, due_at, occasion, outcome, reason, detail, until, n, job_id, triggered_by)
select trigger_id, case when known then due_at + interval '1 microsecond' else due_at end, $1,
       case when reason is null then 'fired' else 'skipped' end, reason, detail, until, n - known::int, job_id, triggered_by
  from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::timestamptz[], $7::int[], $8::uuid[], $9::text[])
    as line (trigger_id, due_at, reason, detail, until, n, job_id, triggered_by),
       -- A stretch whose first time stands there already begins behind it.
       lateral (select case when until > due_at then exists (
         select from headrace.fire as f
          where f.trigger_id = line.trigger_id and f.due_at = line.due_at and f.occasion = $1) else false end as known) as first
on conflict do nothing
returning job_id

-- name: mark_deduplicated
update headrace.fire as f
   set outcome = 'skipped', reason = 'deduplicated', job_id = line.earlier_id
  from unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) as line (trigger_id, due_at, earlier_id)
 where f.trigger_id = line.trigger_id and f.due_at = line.due_at and f.occasion = ''

-- next_run_at and fire_at together: that is how the table knows its schedulers from people.
-- name: advance
update headrace.trigger as t
   set next_run_at = case when t.fires + line.fired >= t.max_fires then 'infinity'
                          when line.due then coalesce(line.next_run_at, 'infinity') else t.next_run_at end,
       fire_at = case when t.fires + line.fired >= t.max_fires then 'infinity'
                      when line.due then coalesce(line.fire_at, 'infinity') else t.fire_at end,
       pending_due_at = line.pending_due_at,
       fires = t.fires + line.fired,
       runs = t.runs + line.fired,
       last_run_at = coalesce(line.last_run_at, t.last_run_at),
       last_error = case when line.fired > 0 or line.error is not null then line.error else t.last_error end
  from unnest($1::uuid[], $2::bool[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::int[],
              $7::timestamptz[], $8::text[])
    as line (id, due, next_run_at, fire_at, pending_due_at, fired, last_run_at, error)
 where t.id = line.id and t.id = any($1)  -- said twice: joined alone, it becomes a scan of the whole table

-- To the end of the line, in this order. Its due time stays what it is.
-- name: put_back
update headrace.trigger as t
   set fire_at = now() + line.n * interval '1 microsecond'
  from unnest($1::uuid[]) with ordinality as line (id, n)
 where t.id = line.id and t.id = any($1)

-- A note is left by people and by failing jobs alone: where there is none an edit may mend what is wrong.
-- name: disable
update headrace.trigger as t
   set enabled = false, stopped_at = clock_timestamp(), last_error = coalesce(line.error, t.last_error), pause_note = line.note
  from unnest($1::uuid[], $2::text[], $3::text[]) as line (id, error, note)
 where t.id = line.id
