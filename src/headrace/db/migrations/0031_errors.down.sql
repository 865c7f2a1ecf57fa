alter table headrace.operation drop column per_second;
drop index headrace.attempt_error_of_all;
drop index headrace.attempt_error;
