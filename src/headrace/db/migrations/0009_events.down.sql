drop function headrace.emit;
drop table headrace.event_watch;
drop table headrace.delivery;
drop table headrace.event_inbox;
drop table headrace.event;
