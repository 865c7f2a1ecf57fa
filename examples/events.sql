-- Events with SQL alone. Beside a worker that runs the jobs: headrace dev events:hr
--   headrace db psql -f events.sql
-- All of it may be run again.

-- A trigger for events, with a plain INSERT. The definition is the function's name in events.py.
insert into headrace.trigger (name, definition_id, trigger_type, event, condition, payload)
select 'index uploads', id, 'event', 'upload.finished', 'starts_with(event.type, ''image/'')',
       '{"path": "/uploads/{{event.file}}"}'
  from headrace.definition where key = 'index_folder'
on conflict (tenant_id, name) do nothing;

-- Off and on again. Disabling waits for a dispatch under way: after it nothing fires. What is dispatched meanwhile makes
-- no job, then or later.
update headrace.trigger set enabled = false where name = 'index uploads';
update headrace.trigger set enabled = true where name = 'index uploads';

-- In your own transaction: dispatched if and only if it commits. Gives back the event's id.
begin;
select headrace.emit('upload.finished', '{"file": "cat.png", "type": "image/png"}', correlation_id => 'upload-1');
select headrace.emit('upload.finished', '{"file": "cat.txt", "type": "text/plain"}');
commit;

begin;
select headrace.emit('upload.finished', '{"file": "never.png", "type": "image/png"}');
rollback;

-- Nobody waits for this one: it is kept, and makes nothing.
select headrace.emit('upload.started', '{"file": "cat.png"}');

-- What each trigger made of each event, newest first. An event without a delivery interested nobody, or waits.
select e.emitted_at, e.name, e.data, t.name as trigger, d.outcome, d.reason, d.detail, d.job_id
  from headrace.event as e
  left join headrace.delivery as d on d.event_id = e.id
  left join headrace.trigger as t on t.id = d.trigger_id
 order by e.id desc limit 10;

-- Its jobs, each with its trigger and its event.
select status, payload, source, trigger_id, event_id, correlation_id
  from headrace.jobs where definition = 'index_folder' and source = 'event' order by id desc limit 10;
