drop function headrace._lost_error(interval);
alter table headrace.worker drop column stood_still;
