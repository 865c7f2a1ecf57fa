-- What came of the jobs in jobs.sql: headrace db psql -f look.sql

-- What ran, newest first. Of a success, message and details are those that the function returned.
select name, success, message, details, triggered_by, duration_ms
  from headrace.job_history order by started_at desc limit 10;

-- Only Ada's cart is left, and nobody's never was.
select customer from public.cart order by id;

-- What they said, in order. 20 is INFO, 30 is WARNING, as in Python.
select d.key, l.seq, l.level, l.message
  from headrace.log as l join headrace.definition as d on d.id = l.definition_id
 where l.stream = 3
 order by l.at, l.job_id, l.run, l.seq;

-- The same, searched: words, "a phrase", prefix*, -excluded. Newest first, with filters, at most 20.
select hit ->> 'definition' as definition, hit ->> 'at' as at, hit ->> 'message' as message
  from headrace.search_log('cart* -nobody', tenant => 'default', definition => null, job_id => null, level => null,
                           since => now() - interval '1 day', until => null, max_hits => 20,
                           before_at => null, before_job_id => null, before_run => null, before_seq => null) as found,
       jsonb_array_elements(found.hits) as hit;
