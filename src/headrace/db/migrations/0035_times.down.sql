alter table headrace.job drop constraint due_between_1900_and_9000;
alter table headrace.queue drop constraint due_between_1900_and_9000;
drop function headrace._within_reach;
