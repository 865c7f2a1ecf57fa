drop index headrace.attempt_finished;
drop table headrace.queue_pause;
alter table headrace.worker drop column draining;
