drop trigger refuse_leaving on headrace.attempt;
drop function headrace._refuse_leaving;
drop index headrace.idempotency_job;
alter table headrace.partition drop column leaving;
alter table headrace.definition drop column retention_days, drop column retention_count;
