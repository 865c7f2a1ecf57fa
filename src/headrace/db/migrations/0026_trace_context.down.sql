alter table headrace.event drop column trace_context;
alter table headrace.job drop column trace_context;
drop function headrace._trace_context;
