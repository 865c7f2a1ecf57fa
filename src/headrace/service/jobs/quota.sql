-- name: quota
select id, max_queued, max_payload_bytes from headrace.tenant
 where name = $1 and num_nonnulls(max_queued, max_payload_bytes) > 0

-- Until the end of the transaction: of two enqueues at once, each would count without the other. Rows of other tables that
-- name the tenant are not held up.
-- name: take_turn
select from headrace.tenant where id = $1 for no key update

-- Whether it is worth counting: those that were there when somebody last looked, and those made since, if none had ended.
-- An index answers, and looks no further than it takes. Ids are taken before a commit, so it begins a little earlier.
-- name: may_exceed
select sampled.jobs + made.jobs > $2
  from (select coalesce(sum(jobs), 0) as jobs from headrace.queue_sample where tenant_id = $1) as sampled,
       (select count(*) as jobs
          from (select from headrace.job
                 where tenant_id = $1
                   and id >= (select headrace._first_id(greatest('epoch', sampled_at - sample_took - interval '10 seconds'))
                                from headrace.rollup_turn)
                 limit $2 + 1) as since) as made

-- Exactly; there is no index of the queue by tenant, so all of it is looked at.
-- name: exceeds
select count(*) > $2 from (select from headrace.queue where tenant_id = $1 limit $2 + 1) as waiting
