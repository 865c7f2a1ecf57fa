alter table headrace.worker drop column principal;
