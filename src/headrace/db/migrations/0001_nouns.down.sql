drop table headrace.worker;
drop type headrace.worker_state;
drop table headrace.lane;
drop table headrace.definition;
drop table headrace.tenant;
drop function headrace._tell_lanes_changed();
