alter table headrace.worker drop column lost_with;
