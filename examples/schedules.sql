-- Schedules with SQL alone. Beside a worker that runs the jobs: headrace dev schedules:hr
--   headrace db psql -f schedules.sql
-- All of it may be run again: the second time the views have more to show.

-- A schedule by name, made or changed; gives back its id. What is wrong with a rule or a zone is said at once.
select headrace.schedule('monday report', 'nightly_report', '0 9 * * MON', 'America/New_York');

-- At an interval; the first time is due at once. The definition is the function's name in schedules.py.
select headrace.schedule('read the cellar', 'read_sensor', every => interval '5 seconds', overlap => 'skip',
                         payload => '{"sensor": "cellar", "due": "{{scheduled_for}}"}');

-- A plain INSERT does as well. next_run_at is left out: a scheduler computes it, and is woken to do so.
insert into headrace.trigger (name, definition_id, cron, timezone, payload, catch_up, jitter_seconds)
select 'read the roof', id, '*/5 6-22 * * *', 'Europe/Berlin', '{"sensor": "roof", "due": "on the fives"}', 'none', 10
  from headrace.definition where key = 'read_sensor'
on conflict (tenant_id, name) do nothing;

-- So does a plain UPDATE. The new rule holds from now; what the old one left undone is among the fires.
update headrace.trigger set cron = '*/10 6-22 * * *' where name = 'read the roof';

-- Off, with a note for people, and on again.
update headrace.trigger set enabled = false, pause_note = 'the roof is being painted' where name = 'read the roof';
update headrace.trigger set enabled = true where name = 'read the roof';

-- Run one now, beside its rule.
select headrace.trigger('monday report');
select headrace.trigger('read the roof');

-- A rule that cannot be read turns itself off, with the reason in last_error, and stops nothing else.
insert into headrace.trigger (name, definition_id, cron)
select 'a mistake', id, '0 0 31 2 *' from headrace.definition where key = 'nightly_report'
on conflict (tenant_id, name) do nothing;

-- How they are doing. Columns of the last 100 jobs are empty until one has ended.
select name, enabled, next_run_at, last_run_at, last_run_success, total_runs, success_rate_percent, avg_duration_ms, last_error
  from headrace.schedule_status order by name;

-- What ran, newest first. A result's "message" has a column of its own.
select name, started_at, duration_ms, success, message, details, scheduled_for, triggered_by
  from headrace.job_history order by started_at desc limit 10;

-- Fires: what became of each due time.
select t.name, f.due_at, f.outcome, f.reason, f.until, f.n, f.job_id
  from headrace.fire as f join headrace.trigger as t on t.id = f.trigger_id
 order by f.at desc limit 10;

-- No more of this one. Its jobs stay, and history still knows its name.
select headrace.unschedule('monday report');
