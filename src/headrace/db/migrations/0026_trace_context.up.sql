-- What a job and an event carry of the trace that they are part of: the W3C traceparent, and after a blank the tracestate.
-- It is what the setting headrace.trace_context says in the transaction that makes them, unless that says it otherwise: so
-- every road into the queue carries it, and plain SQL can, with set local headrace.trace_context = '00-…'.

create function headrace._trace_context() returns text language sql stable as $$
  select nullif(left(current_setting('headrace.trace_context', true), 600), '')
$$;
alter table headrace.job add column trace_context text default headrace._trace_context();
alter table headrace.event add column trace_context text default headrace._trace_context();
