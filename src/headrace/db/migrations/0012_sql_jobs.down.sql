drop function headrace.undefine_sql_job;
drop function headrace.define_sql_job;
drop function headrace._sql_job_function;
drop function headrace._sql_job_problem;
drop function headrace._parse_function;
drop function headrace._definition_uuid;
drop table headrace.sql_setting;
alter table headrace.definition drop column function_signature, drop column function_name, drop column function_schema;
