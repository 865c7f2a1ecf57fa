-- name: tell_due
select pg_notify('headrace', 'due')

-- name: is_live
select exists (select from headrace.worker where id = $1 and state = 'live')

-- The worker's lanes are others now: tell every process that remembers them.
-- name: serve_definitions
with changed as (
  update headrace.worker set definitions = $2, schemas = $3
   where id = $1 and state = 'live' and (definitions <> $2 or schemas <> $3) returning id)
select pg_notify('headrace', 'lanes') from changed

-- Of runs that are this worker's, or were: the last word often comes with the outcome.
-- name: write_own_progress
insert into headrace.progress (job_id, fraction, message)
select said.job_id, said.fraction, said.message
  from unnest($2::uuid[], $3::real[], $4::text[]) as said (job_id, fraction, message)
 where exists (select from headrace.queue where queue.job_id = said.job_id and queue.worker_id = $1)
    or exists (select from headrace.attempt where attempt.job_id = said.job_id and attempt.worker_id = $1)
on conflict (job_id) do update set fraction = excluded.fraction, message = excluded.message, updated_at = now()
