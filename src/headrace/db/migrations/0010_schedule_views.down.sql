drop view headrace.schedule_status;
drop view headrace.job_history;
