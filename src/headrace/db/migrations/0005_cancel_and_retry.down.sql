drop function headrace.retry;
drop function headrace.cancel;
drop function headrace._tell_waiters;
drop function headrace._job_or_error;
