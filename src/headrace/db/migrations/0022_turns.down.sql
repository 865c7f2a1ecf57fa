drop function headrace._claim_alone;
drop function headrace._tokens;
drop table headrace.queue_share, headrace.rate_bucket;
