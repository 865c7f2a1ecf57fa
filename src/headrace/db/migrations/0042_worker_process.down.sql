alter table headrace.worker drop column process;
