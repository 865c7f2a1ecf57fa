-- The newest failures of a tenant and of all, in the order in which they came, without reading what went well.
create index attempt_error on headrace.attempt (tenant_id, finished_at desc) where error is not null;
create index attempt_error_of_all on headrace.attempt (finished_at desc) where error is not null;

-- How fast a bulk change may go; none is as fast as it can.
alter table headrace.operation add column per_second int constraint a_pace check (per_second between 1 and 1000);
