-- Marks by a limit that concerns jobs which were there before it; settled when no transaction is left that cannot know it.
-- name: list_marks
select id, since < pg_snapshot_xmin(pg_current_snapshot()) as settled from headrace.regate

-- name: count_pages
select pg_relation_size('headrace.queue') / current_setting('block_size')::int

-- Jobs of these marks in a range of pages get the gate they should have; what somebody holds is counted and left for the next
-- sweep, so this waits for nobody. First how many are not as they should be, then how many were put right.
-- name: gate_rows
with scope as materialized (
  select lane.id as lane_id, definition.concurrency_key,
         exists (select from headrace.regate as g where g.definition_id = lane.definition_id or g.queue = lane.queue) as whole
    from headrace.lane join headrace.definition on definition.id = lane.definition_id
), wrong as materialized (
  select q.job_id, made.gate
    from headrace.queue as q
    join scope using (lane_id)
   cross join lateral (select case when concurrency_key is null then 0 else headrace._gate_key(
      (select payload from headrace.job where id = q.job_id), concurrency_key) end as gate) as made
   where q.ctid >= $1::text::tid and q.ctid < $2::text::tid
     and (whole or q.tenant_id = any(array(select tenant_id from headrace.regate where tenant_id is not null)))
     and q.gate is distinct from made.gate
), mine as materialized (
  select job_id from headrace.queue where job_id = any(array(select job_id from wrong)) for update skip locked
), righted as (
  update headrace.queue as q set gate = wrong.gate
    from wrong
   where q.job_id = wrong.job_id and q.job_id = any(array(select job_id from mine))
  returning q.job_id
)
select (select count(*) from wrong) as wrong, (select count(*) from righted) as righted

-- name: swept
update headrace.regate set swept = true where id = any($1) and not swept

-- name: forget_marks
delete from headrace.regate where id = any($1)
