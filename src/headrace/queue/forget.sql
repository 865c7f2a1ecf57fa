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
