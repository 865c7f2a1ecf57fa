-- What came of the jobs in enqueue.sql: headrace db psql -f look.sql

-- What came of them. Look again after some seconds: exit code 75 has one job tried a second time.
select definition, payload, status, attempt_count, result, last_error from headrace.jobs order by id desc limit 7;

-- How each attempt went: exit code, signal, processor time, memory, which argv, and the last words.
select j.definition, a.outcome, a.detail - 'stdout_tail' - 'stderr_tail' as detail, a.detail ->> 'stderr_tail' as last_words
  from headrace.attempt as a join headrace.jobs as j on j.id = a.job_id
 order by a.finished_at desc limit 10;

-- What they printed. Streams: 0 is logging, 1 stdout, 2 stderr, 3 notices of SQL.
select d.key, l.run, l.seq, l.stream, l.message
  from headrace.log as l join headrace.definition as d on d.id = l.definition_id
 order by l.at desc, l.seq desc limit 20;
