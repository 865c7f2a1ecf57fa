-- Jobs of the three commands. Beside a worker that has them: API_TOKEN=tok-4711-example headrace worker
--   headrace db psql -f enqueue.sql
-- See what came of them with look.sql.

-- Arguments. The second and the third do not fit the command's JSON Schema and are dead letters.
select headrace.enqueue('count-files', '{"folder": "/etc", "pattern": "*.conf"}');
select headrace.enqueue('count-files', '{"folder": "etc"}');
select headrace.enqueue('count-files', '{"folder": "/etc", "depth": 3}');

-- Stdin, a result file and exit codes: 0 is a result, 64 fails for good, 75 is tried again.
select headrace.enqueue('add-up', '{"lines": [{"price": 2.5, "count": 4}, {"price": 1, "count": 3}]}');
select headrace.enqueue('add-up', '{"lines": []}');
select headrace.enqueue('add-up', '{"lines": [{"price": null, "count": 1}]}');

-- Progress, a masked token, and the last line as the result.
select headrace.enqueue('call-service', '{"what": "orders"}');

-- A command may have a schedule, as any job.
select headrace.schedule('count each night', 'count-files', '0 3 * * *', payload => '{"folder": "/etc"}');
