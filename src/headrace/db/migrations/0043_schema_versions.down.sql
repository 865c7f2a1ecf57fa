drop function headrace._grant_versions_to_tenants;
drop table headrace.misfit;
drop index headrace.queue_unreadable;
alter table headrace.queue drop column unreadable_since;
alter table headrace.worker drop column schemas;
alter table headrace.definition drop column schema_version;
