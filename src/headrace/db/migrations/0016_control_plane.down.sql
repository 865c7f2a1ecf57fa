drop index headrace.attempt_dead;
drop index headrace.attempt_canceled;
drop index headrace.attempt_failed;
drop index headrace.attempt_succeeded;
create index attempt_final on headrace.attempt (tenant_id, final, job_id desc) where final is not null;
drop index headrace.job_correlation;
drop index headrace.job_source;
drop index headrace.job_definition;
drop index headrace.job_tenant;
drop function headrace._change_one;
drop function headrace._delete_job;
drop table headrace.operation;
drop table headrace.audit;
drop table headrace.token;
alter table headrace.tenant
  drop column requests_per_minute, drop column max_payload_bytes, drop column max_queued, drop column title;
