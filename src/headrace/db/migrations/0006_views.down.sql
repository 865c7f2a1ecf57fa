drop view headrace.queue_depth;
drop view headrace.jobs;
