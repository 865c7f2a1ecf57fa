alter table headrace.attempt drop column detail;
