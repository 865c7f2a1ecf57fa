drop function headrace.trigger(text, text);
drop function headrace._run_now;
drop function headrace._live_job_of;
drop function headrace._trigger_or_error;
drop function headrace.unschedule;
drop function headrace.schedule;
drop function headrace._check_zone;
drop function headrace._cron_problem;
